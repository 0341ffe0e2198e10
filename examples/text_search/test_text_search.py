"""The search, through SOAP, against a search by hand in the same pages."""

import re

import castile
import pytest

from index import Index, of_folder, of_python
from queries import QUERIES, pages
from search_service import Search

MODULES = 60


@pytest.fixture(scope="module")
def library():
    return list(of_python(MODULES))


@pytest.fixture(scope="module")
def search(library):
    with castile.serve(Search(Index(library)), port=0, background=True) as server:
        yield castile.Client(server.wsdl_url, cache=False).service


def words(text):
    # As FTS5's tokenizer has them: letters and digits, folded.
    return set(re.findall(r"[^\W_]+", text.lower()))


@pytest.mark.parametrize("query", QUERIES)
def test_pages_are_those_that_have_all_words(library, search, query):
    expected = {p.url for p in library if words(query) <= words(p.title) | words(p.text)}
    answers = pages(search, query, 20)
    urls = [found.URL for answer in answers for found in answer.resultElements]
    assert len(urls) == len(set(urls)) == answers[0].estimatedTotalResultsCount
    assert set(urls) == expected


def test_a_page_comes_as_it_is(library, search):
    by_url = {page.url: page for page in library}
    answer = search.search(q="file", start=3, maxResults=7)
    assert (answer.startIndex, answer.endIndex, len(answer.resultElements)) == (4, 10, 7)
    for found in answer.resultElements:
        page = by_url[found.URL]
        assert found.title == page.title
        assert found.summary == page.text.strip().split("\n")[0]
        assert found.directoryCategory.fullViewableName == page.category
        assert found.hostName == "docs.example.org"
        plain = found.snippet.replace("<b>", "").replace("</b>", "")
        assert all(part.strip() in page.text for part in plain.split(" ... "))
    assert "<b>" in "".join(found.snippet for found in answer.resultElements)


def test_all_pages_of_a_query_are_one_order(search):
    whole = [found.URL for found in search.search(q="return", start=0, maxResults=1000).resultElements]
    parts = [found.URL for answer in pages(search, "return", 13) for found in answer.resultElements]
    assert len(whole) > 26 and parts == whole


@pytest.mark.parametrize("arguments", [("?!", 0, 10), ("x", -1, 10), ("x", 0, 0), ("x", 0, 1001)])
def test_a_question_without_sense_is_a_declared_fault(search, arguments):
    query, start, most = arguments
    with pytest.raises(castile.Fault) as caught:
        search.search(q=query, start=start, maxResults=most)
    assert caught.value.name == "BadQuery" and caught.value.detail.query == query


def test_signs_of_the_index_are_only_signs(search):
    assert search.search(q='file" OR "x*', start=0, maxResults=1).estimatedTotalResultsCount >= 0


def test_own_files_can_be_searched(tmp_path):
    (tmp_path / "a.md").write_text("A castle in Spain")
    (tmp_path / "b.md").write_text("Nothing")
    with castile.serve(Search(Index(of_folder(tmp_path, "*.md"))), port=0, background=True) as server:
        search = castile.Client(server.wsdl_url, cache=False).service
        answer = search.search(q="spain", start=0, maxResults=10)
    assert search is not None and [found.title for found in answer.resultElements] == ["a"]
