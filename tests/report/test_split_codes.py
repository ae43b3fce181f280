"""Reports and dashboards tell what an experiment has found."""

import io
import zipfile

import pytest
from qrkit.widgets import ScanDashboard

from qrkit import open_portfolio, report
from tests.split_shop import make_split_shop


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    path = tmp_path_factory.mktemp("split") / "shop.duckdb"
    make_split_shop(path)
    with open_portfolio(path) as portfolio:
        yield portfolio


@pytest.mark.slow
def test_report_tells_and_draws_the_experiment(shop):
    page = report.portfolio(shop).html
    assert "Experiment on “" in page
    assert "New converts " in page
    assert "what is known after each day" in page
    assert "Experiment on" not in report.portfolio(shop, least=5).html


@pytest.mark.slow
def test_downloads_hold_each_experiment(shop):
    with zipfile.ZipFile(io.BytesIO(report.portfolio(shop).to_zip())) as files:
        names = files.namelist()
    assert {"charts/experiment.svg", "charts/experiment.png", "data/experiment.csv"} <= {*names}
    assert len(names) == len({*names})


@pytest.mark.slow
def test_dashboard_tells_the_experiment_of_its_code(shop):
    board = ScanDashboard(shop)
    board.ask(qrcode=shop.find_qrcode("door").id)
    state = board._browser_state()
    assert any("New converts" in one for one in state["answer"]["findings"])
    assert any(one["title"] == "Experiment on Door" for one in state["charts"])
    board.ask(qrcode=shop.find_qrcode("gate").id)
    state = board._browser_state()
    assert not any("Experiment" in one["title"] for one in state["charts"])
    assert not any("Experiment" in one for one in state["answer"]["findings"])
