import runpy


def test_the_data_are_what_their_script_makes(data, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["make.py", str(tmp_path)])
    runpy.run_path(str(data / "make.py"), run_name="__main__")
    made = sorted(tmp_path.iterdir())
    names = ["enrolments.csv", "jacobian.mtx", "transmitters.csv", "wifi.csv"]
    assert [file.name for file in made] == names
    for file in made:
        assert file.read_bytes() == (data / file.name).read_bytes()
