# SPDX-License-Identifier: Apache-2.0
"""The page of ``tilepath report`` in a browser: screens, colours, keyboard, time to open."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tilepath.tests.cli.test_report_page import many, page

__all__ = ["page"]

_NEEDED = ("chromium", "chromedriver")
_PACKAGES = ("chromium", "chromium-driver")
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-quic"),
)
_CONTRAST = Path(__file__).with_name("contrast.js").read_text()


def _installed() -> bool:
    return all(map(shutil.which, _NEEDED))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """A headless Chromium; Debian's packages are installed where that asks nothing."""
    if not _installed():
        command = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *_PACKAGES]
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if not _installed():
        pytest.skip(f"no browser; with Debian: apt-get install {' '.join(_PACKAGES)}")
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which(_NEEDED[0]))
    for text in (*_OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(text)
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which(_NEEDED[1])))
    yield driver
    driver.quit()


def prefers(browser: webdriver.Chrome, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_sizes_and_colours(browser: webdriver.Chrome, page: Path, width: int, scheme: str) -> None:
    """Only tables and pictures scroll sideways; all text has the contrast that WCAG AA asks for."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    prefers(browser, scheme)
    browser.get(page.as_uri())
    for found in browser.find_elements(By.TAG_NAME, "details"):
        browser.execute_script("arguments[0].open = true", found)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script(_CONTRAST) >= 4.5


def test_keyboard_and_names(browser: webdriver.Chrome, page: Path) -> None:
    """The first key skips to the content; whatever takes the focus has a name to be read out."""
    browser.get(page.as_uri())
    found = []
    for _ in range(40):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        at = browser.switch_to.active_element
        if at.tag_name == "body":
            break
        found.append((at.tag_name, at.accessible_name or at.text))
    assert found[0] == ("a", "Skip to the content")
    assert all(name for _, name in found)
    assert {tag for tag, _ in found} >= {"a", "summary", "div", "pre"}
    for picture in browser.find_elements(By.TAG_NAME, "svg"):
        assert picture.accessible_name
    heads = [int(e.tag_name[1]) for e in browser.find_elements(By.CSS_SELECTOR, "h1,h2,h3")]
    assert heads[0] == 1 and all(b - a <= 1 for a, b in pairwise(heads))


def test_no_script_and_no_network(browser: webdriver.Chrome, page: Path) -> None:
    browser.get(page.as_uri())
    assert browser.find_elements(By.TAG_NAME, "script") == []
    loaded = "return performance.getEntriesByType('resource').length"
    assert browser.execute_script(loaded) == 0
    assert "<script>alert('x')</script>" in browser.find_element(By.TAG_NAME, "main").text


def test_ten_thousand_jobs_open(browser: webdriver.Chrome, page: Path, tmp_path: Path) -> None:
    """It is drawn; how long that took is printed, and not judged here."""
    browser.get(many(page, tmp_path).as_uri())
    took = browser.execute_script(
        "return performance.getEntriesByType('navigation')[0].domComplete"
    )
    print(f"10,000 jobs: {took:.0f} ms")
    assert "of 9807 jobs failed" in browser.find_element(By.TAG_NAME, "header").text
