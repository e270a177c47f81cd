"""A session with a simulated vCenter: questions, raw requests, renewal, the end."""

from __future__ import annotations

import gc
import pickle
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from connections.failures import ClosedError
from connections.vsphere import keep_alive, logged_in
from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere, session_key
from connections.vsphere.soap import Channel
from resources.failures import (
    DisconnectedError,
    LoginError,
    PrivilegeError,
    SourceError,
    TimedOutError,
    UsageError,
)
from tests.vsphere.conftest import PASSWORD, Connect, address_of, running_vcsim
from tests.vsphere.envelopes import CURRENT_TIME, envelope
from tests.vsphere.front import Front


def hosts(connection: Connection) -> list[str]:
    content = connection.content
    view = content.viewManager.CreateContainerView(content.rootFolder, [vim.HostSystem], True)
    paths = vmodl.query.PropertyCollector
    spec = paths.FilterSpec(
        objectSet=[
            paths.ObjectSpec(
                obj=view, skip=True, selectSet=[paths.TraversalSpec(path="view", type=vim.view.ContainerView)]
            )
        ],
        propSet=[paths.PropertySpec(type=vim.HostSystem, pathSet=["name"])],
    )
    found = content.propertyCollector.RetrieveContents([spec])
    return sorted(prop.val for item in found for prop in item.propSet)


def end_session(connection: Connection) -> None:
    connection.content.sessionManager.Logout()


def test_what_answers_and_a_question(connect: Connect) -> None:
    vsphere = connect()
    assert vsphere.about.api_type == "VirtualCenter"
    assert vsphere.about.version
    assert vsphere.about.instance_uuid
    assert vsphere.generation == 1
    assert len(vsphere.ask("the list of hosts", hosts)) == 4


def test_a_raw_request(connect: Connect) -> None:
    vsphere = connect()
    assert b"<CurrentTimeResponse" in vsphere.post(CURRENT_TIME)
    assert b"<CurrentTimeResponse" in vsphere.post(CURRENT_TIME, what="the clock")


def test_raw_requests_share_one_connection(connect: Connect, front: Front) -> None:
    vsphere = connect()
    vsphere.post(CURRENT_TIME)
    before = front.connections
    for _ in range(20):
        vsphere.post(CURRENT_TIME)
        vsphere.server_time()
    assert front.connections == before


def test_a_connection_that_the_server_ended_is_made_anew(connect: Connect, front: Front) -> None:
    vsphere = connect()
    vsphere.post(CURRENT_TIME)
    for _ in range(3):
        front.drop()
        assert b"<CurrentTimeResponse" in vsphere.post(CURRENT_TIME)
        front.drop()
        vsphere.server_time()


@pytest.mark.parametrize("how", ["ask", "post", "check"])
def test_an_ended_session_is_renewed(connect: Connect, how: str) -> None:
    vsphere = connect()
    vsphere.ask("the end", end_session)
    if how == "ask":
        assert len(vsphere.ask("the list of hosts", hosts)) == 4
    elif how == "post":
        host = vsphere.ask("a host", _any_host)
        vsphere.ask("the end", end_session)
        assert b"refreshRate" in vsphere.post(_provider(host))
    else:
        vsphere.check()
    assert vsphere.generation >= 2
    assert vsphere.ask("its session", session_key)


def _any_host(connection: Connection) -> str:
    found: Any = connection.content.searchIndex.FindByInventoryPath("/DC0/host/DC0_H0/DC0_H0")
    return str(found._moId)


def _provider(moid: str) -> bytes:
    entity = f'<entity type="HostSystem">{moid}</entity>'
    return envelope("QueryPerfProviderSummary", ("PerformanceManager", "PerfMgr"), entity)


def test_threads_renew_an_ended_session_once(connect: Connect) -> None:
    vsphere = connect()
    vsphere.ask("the end", end_session)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: vsphere.ask("the list of hosts", hosts), range(16)))
    assert {len(answer) for answer in answers} == {4}
    assert vsphere.generation == 2


def test_references_outlive_a_session_but_what_was_made_in_it_does_not(connect: Connect) -> None:
    vsphere = connect()
    manager = vsphere.ask("the list of views", lambda c: c.content.viewManager)
    root = vsphere.ask("the root", lambda c: c.content.rootFolder)
    view = vsphere.ask("a view", lambda _: manager.CreateContainerView(root, [vim.HostSystem], True))
    vsphere.ask("the end", end_session)
    vsphere.ask("a view", lambda _: manager.CreateContainerView(root, [vim.HostSystem], True))
    assert vsphere.generation == 2
    with pytest.raises(SoapFault) as caught:
        vsphere.ask("the old view", lambda _: view.DestroyView())
    assert caught.value.type_name == "ManagedObjectNotFound"
    assert "the old view" in str(caught.value)


@pytest.mark.parametrize("how", ["ask", "post"])
def test_a_fault_says_what_was_asked_and_survives_a_pickle(connect: Connect, how: str) -> None:
    vsphere = connect()
    gone = vim.HostSystem("host-404", vsphere.ask("the stub", lambda c: c.stub))
    ask = partial(vsphere.ask, "the host's date", lambda _: gone.QueryHostConnectionInfo())
    raw = envelope("DestroyView", ("ContainerView", "session[no]view-1"))
    with pytest.raises(SoapFault) as caught:
        ask() if how == "ask" else vsphere.post(raw, what="the host's date")
    assert caught.value.type_name == "ManagedObjectNotFound"
    assert "the host's date" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.type_name, again.text, dict(again.detail), str(again)) == (
        caught.value.type_name,
        caught.value.text,
        dict(caught.value.detail),
        str(caught.value),
    )


def test_the_server_clock(connect: Connect) -> None:
    vsphere = connect()
    server, took = vsphere.server_time()
    assert abs(server.timestamp() - time.time()) < 5
    assert 0 < took < 5
    assert abs(vsphere.clock_offset_ms) < 5000


def test_a_wrong_password(connect: Connect, front: Front) -> None:
    with pytest.raises(LoginError) as caught:
        connect(password="open sesame")
    assert caught.value.exit_code == 27
    assert "user" in str(caught.value)


def test_no_trace_of_the_password(connect: Connect) -> None:
    """Neither in a failure with all variables of all frames, nor in what a connection says of itself."""
    wrong = "w0rse-than-" + "the-right-one"
    try:
        connect(password=wrong)
    except LoginError as error:
        shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
        chain = [error, error.__cause__, error.__cause__.__context__ if error.__cause__ else None]
        said = shown + "".join(repr(one) + str(getattr(one, "args", "")) for one in chain)
        # What the test itself holds is not the program's doing.
        said = "\n".join(
            line for line in said.splitlines() if "wrong = " not in line and "password = " not in line
        )
        assert wrong not in said
    vsphere = connect()
    assert PASSWORD not in repr(vsphere) + repr(vars(vsphere))
    assert PASSWORD not in repr(vsphere.ask("the stub", lambda c: (c, c.stub)))
    with pytest.raises(TypeError):
        pickle.dumps(vsphere)


def test_a_login_that_breaks_off_leaves_no_trace_either(connect: Connect, front: Front) -> None:
    def password() -> str:
        front.mode = "hang"
        return PASSWORD

    vsphere = VSphere(address_of(front.port), password, thumbprint=front.certificate.sha256, read_s=0.3)
    with pytest.raises(TimedOutError) as caught:
        vsphere.open()
    assert bytes(front.heard).count(b"<Login ") == 1
    error: BaseException | None = caught.value
    while error is not None:
        frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__), capture_locals=True)
        for frame in frames:
            if "/tests/" not in frame.filename:
                assert PASSWORD not in repr(frame.locals)
        error = error.__cause__ or error.__context__


def test_the_server_knows_that_we_left(connect: Connect) -> None:
    watcher, leaver = connect(), connect()
    key = leaver.ask("its session", session_key)
    assert key in watcher.ask("the sessions", _sessions)
    leaver.close()
    leaver.close()
    assert key not in watcher.ask("the sessions", _sessions)


def _sessions(connection: Connection) -> set[str]:
    paths = vmodl.query.PropertyCollector
    spec = paths.FilterSpec(
        objectSet=[paths.ObjectSpec(obj=connection.content.sessionManager)],
        propSet=[paths.PropertySpec(type=vim.SessionManager, pathSet=["sessionList"])],
    )
    found = connection.content.propertyCollector.RetrieveContents([spec])
    return {one.key for item in found for prop in item.propSet for one in prop.val}


def test_closing_ends_what_other_threads_wait_for(connect: Connect, front: Front) -> None:
    vsphere = connect()
    front.mode = "hang"
    outcomes: list[BaseException] = []

    def wait(what: Any) -> None:
        try:
            what()
        except SourceError as error:
            outcomes.append(error)

    threads = [
        threading.Thread(target=wait, args=(what,))
        for what in (vsphere.server_time, lambda: vsphere.post(CURRENT_TIME))
    ]
    for thread in threads:
        thread.start()
    for _ in threads:
        front.accepting_at.acquire()
    front.mode = "pass"
    start = time.monotonic()
    vsphere.close()
    for thread in threads:
        thread.join()
    assert time.monotonic() - start < 5
    assert [type(one) for one in outcomes] == [ClosedError, ClosedError]
    for late in (vsphere.server_time, vsphere.check, lambda: vsphere.post(CURRENT_TIME)):
        with pytest.raises(ClosedError):
            late()
    assert not [one for one in threading.enumerate() if one.name == "vsphere-keep-alive"]


def test_closing_does_not_wait_for_a_server_that_hangs(
    connect: Connect, front: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logged_in, "GOODBYE_S", 0.2)
    vsphere = connect()
    front.mode = "hang"
    vsphere.close()


def test_a_resting_session_is_kept_alive(
    connect: Connect, front: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keep_alive, "KEEP_ALIVE_S", 0.02)
    asked = threading.Event()
    ask_time = VSphere.server_time

    def noted(self: VSphere) -> object:
        asked.set()
        return ask_time(self)

    monkeypatch.setattr(VSphere, "server_time", noted)
    vsphere = connect()
    assert asked.wait(20)
    vsphere.close()


def test_an_esxi_host_and_which_is_which() -> None:
    with running_vcsim("-tls", "-esx") as port:
        vsphere = VSphere(address_of(port, "esxi"), lambda: PASSWORD, ask=lambda _: True)
        with vsphere:
            assert vsphere.about.api_type == "HostAgent"
            assert vsphere.about.instance_uuid == ""
            assert len(vsphere.ask("the list of hosts", hosts)) == 1
        with pytest.raises(UsageError, match="esxi://"):
            VSphere(address_of(port), lambda: PASSWORD, ask=lambda _: True).open()


def test_the_password_is_not_sent_to_the_wrong_kind(front: Front) -> None:
    vsphere = VSphere(address_of(front.port, "esxi"), lambda: PASSWORD, thumbprint=front.certificate.sha256)
    with pytest.raises(UsageError, match="vcenter://"):
        vsphere.open()
    assert b"<Login" not in front.heard
    assert PASSWORD.encode() not in front.heard


def test_a_reply_has_a_limit(connect: Connect) -> None:
    vsphere = connect()
    vsphere._channel.close()
    vsphere._channel = Channel(vsphere._wire, limit=100)
    with pytest.raises(DisconnectedError, match="larger than 100"):
        vsphere.post(CURRENT_TIME)


def test_what_is_not_allowed(connect: Connect) -> None:
    vsphere = connect()

    def denied(_: Connection) -> None:
        raise vim.fault.NoPermission(privilegeId="Global.Settings")

    with pytest.raises(PrivilegeError, match=r"the limits.*Global\.Settings"):
        vsphere.ask("the limits", denied)


def test_closing_ends_a_handshake_that_hangs(connect: Connect, front: Front) -> None:
    """The server accepts, and says nothing: a thread that is connecting is not waited for."""
    vsphere = connect(connect_s=60)
    outcomes: list[BaseException] = []

    def wait() -> None:
        try:
            vsphere.post(CURRENT_TIME)
        except SourceError as error:
            outcomes.append(error)

    front.mode = "silent"
    front.drop()
    thread = threading.Thread(target=wait)
    thread.start()
    front.accepting_at.acquire()
    front.mode = "pass"
    start = time.monotonic()
    vsphere.close()
    thread.join()
    assert time.monotonic() - start < 20
    assert [type(one) for one in outcomes] == [ClosedError]


def test_asking_for_the_time_leaves_no_garbage(connect: Connect) -> None:
    """A recorder does so in each round, for days; pyVmomi's deserialiser leaves a parser each time."""
    vsphere = connect()
    vsphere.server_time()
    gc.collect()
    gc.disable()
    try:
        for _ in range(20):
            vsphere.server_time()
        assert gc.collect() < 20
        for _ in range(20):
            vsphere.ask("its clock", lambda connection: connection.si.CurrentTime())
        assert gc.collect() > 200, "pyVmomi is better now: server_time may use it again"
    finally:
        gc.enable()
