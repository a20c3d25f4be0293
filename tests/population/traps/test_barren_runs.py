"""Pages in a row without new content."""

from __future__ import annotations

from evocrawl.population.traps.barren_runs import Runs

ROOT, A, B, C, D = (bytes([number]) * 12 for number in range(5))


def run_of_four() -> Runs:
    """Return runs in which D was found on C, C on B, B on A, and A on a page that is new."""
    runs = Runs()
    for page, source in ((A, ROOT), (B, A), (C, B), (D, C)):
        runs.go_on(page, source, is_longer=True)
    return runs


def test_a_run_goes_on_from_the_page_with_the_link() -> None:
    """A page with hardly any text is in the run, and makes it no longer."""
    runs = run_of_four()
    assert [runs.length(each) for each in (ROOT, A, B, C, D)] == [0, 1, 2, 3, 4]
    runs.go_on(b"short" * 2, D, is_longer=False)
    assert runs.length(b"short" * 2) == 4
    assert (ROOT in runs, A in runs) == (False, True)


def test_a_page_with_new_content_is_in_no_run() -> None:
    """Pages that were found on it before stay in the run; later ones begin another."""
    runs = run_of_four()
    runs.end(B)
    assert [runs.length(each) for each in (A, B, C)] == [1, 0, 3]
    runs.go_on(b"later" * 2, B, is_longer=True)
    assert runs.length(b"later" * 2) == 1


def test_a_run_counts_from_the_last_page_that_was_credited() -> None:
    """An earlier page changes nothing then; other runs are not affected."""
    runs = run_of_four()
    runs.go_on(b"other" * 2, ROOT, is_longer=True)
    runs.credit(C)
    assert [runs.length(each) for each in (A, B, C, D)] == [0, 0, 0, 1]
    runs.credit(A)
    runs.credit(ROOT)
    assert [runs.length(each) for each in (A, B, C, D)] == [0, 0, 0, 1]
    assert runs.length(b"other" * 2) == 1
    runs.credit(D)
    assert runs.length(D) == 0
