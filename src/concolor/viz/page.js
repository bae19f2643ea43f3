"use strict";

// Titles become a tip that comes at once, also on touch; the text is only ever set as text.
((page) => {
  page.classList.add("live");
  const tip = document.createElement("div");
  const texts = new WeakMap();
  tip.id = "tip";
  tip.hidden = true;
  page.append(tip);
  const show = (event) => {
    const mark = event.target.closest("circle, path, rect");
    const title = mark && mark.querySelector("title");
    if (title) {
      texts.set(mark, title.textContent);
      title.remove();
    }
    tip.hidden = !texts.has(mark);
    if (tip.hidden) return;
    tip.textContent = texts.get(mark);
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, room))}px`;
    tip.style.top = `${Math.max(4, event.clientY - tip.offsetHeight - 10)}px`;
  };
  for (const svg of page.querySelectorAll("svg")) {
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerdown", show);
    svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  }
})(document.currentScript.closest(".report"));

// The sphere: the marks of the still picture, moved. Points are given in thousandths.
((page) => {
  const stage = page.querySelector("#sphere");
  if (!stage) return;
  const data = JSON.parse(page.querySelector("#ball").textContent);
  const nodes = stage.querySelector(".nodes");
  const marks = [...nodes.children];
  const lines = [...stage.querySelectorAll(".prototype")];
  const tips = [...stage.querySelectorAll(".tip")];
  const globe = stage.querySelector(".globe");
  const ring = Array.from({ length: 49 }, (_, i) => [Math.cos(i * Math.PI / 24), Math.sin(i * Math.PI / 24)]);
  const circles = [ring.map(([c, s]) => [c, s, 0]), ring.map(([c, s]) => [c, 0, s]), ring.map(([c, s]) => [0, c, s])];
  let { yaw, pitch } = data;
  let due = false;

  const turn = ([x, y, z]) => {
    const c = Math.cos(yaw), s = Math.sin(yaw), e = Math.cos(pitch), f = Math.sin(pitch);
    return [c * x + s * z, f * s * x + e * y - f * c * z, -e * s * x + f * y + e * c * z];
  };
  const place = ([x, y]) => [data.middle + data.radius * x, data.middle - data.radius * y];
  const tenths = (points) => "M" + points.map((p) => place(turn(p)).map((v) => Math.round(10 * v)).join(" ")).join("L");

  const draw = () => {
    due = false;
    globe.setAttribute("d", circles.map(tenths).join(""));
    data.prototypes.forEach((p, i) => {
      const unit = p.map((v) => v / 1000);
      lines[i].setAttribute("d", tenths([unit.map((v) => -v), unit]));
      if (!tips[i]) return;
      const [x, y] = place(turn(unit.map((v) => 1.07 * v)));
      tips[i].setAttribute("x", x.toFixed(1));
      tips[i].setAttribute("y", y.toFixed(1));
    });
    const depth = data.points.map((p, i) => {
      const seen = turn(p.map((v) => v / 1000));
      const [x, y] = place(seen);
      marks[i].setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
      marks[i].setAttribute("opacity", seen[2] < 0 ? 0.45 : 1);
      return [seen[2], marks[i]];
    });
    nodes.append(...depth.sort((a, b) => a[0] - b[0]).map(([, mark]) => mark));
  };
  const move = (right, up) => {
    yaw += right;
    pitch = Math.max(-1.5, Math.min(1.5, pitch + up));
    if (!due) requestAnimationFrame(draw);
    due = true;
  };

  let from = null;
  stage.addEventListener("pointerdown", (event) => {
    from = [event.clientX, event.clientY];
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (!from) return;
    move((event.clientX - from[0]) / 150, (event.clientY - from[1]) / 150);
    from = [event.clientX, event.clientY];
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => { from = null; });
  const keys = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
  stage.addEventListener("keydown", (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    move(...keys[event.key]);
  });
})(document.currentScript.closest(".report"));
