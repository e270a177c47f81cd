"""The inventory: search, health, selection, ten thousand entities."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QImage
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from sessions.model import EntityRef
from viewmodels.health import Symbol
from viewmodels.inventory_tree import Node
from widgets.context_menu import MenuEntry, context_menu_of
from widgets.eliding import NameElider, elided_name
from widgets.inventory import InventoryModel, InventoryView
from widgets.inventory.model import HEALTH, IS_BELOW, VALUE
from widgets.theme import Theme, body_font

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


def ref(kind: str, key: str) -> EntityRef:
    return EntityRef(kind, key)  # type: ignore[arg-type]


def tree(hosts: int = 2, vms: int = 3) -> Node:
    root = Node("")
    heading = root.add(Node("Hosts"))
    for number in range(hosts):
        host = heading.add(Node.of(ref("host", f"esx{number}"), f"esx{number}.lab"))
        for vm in range(vms):
            host.add(Node.of(ref("vm", f"{number}/{vm}"), f"db-{number}-{vm}"))
    return root


def test_qt_accepts_it(qapp: object) -> None:
    model = InventoryModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_tree(tree())
    model.set_health({ref("vm", "1/2"): Symbol("critical")})
    model.set_values({ref("vm", "1/2"): "31 %"})
    model.set_tree(Node(""))


def test_health_and_value_are_told_to_screen_readers_too(qapp: object) -> None:
    model = InventoryModel()
    model.set_tree(tree())
    model.set_health({ref("vm", "1/2"): Symbol("critical")})
    model.set_values({ref("vm", "1/2"): "31 % rdy"})
    index = model.index_of(ref("vm", "1/2"))
    assert (index.data(), index.data(HEALTH), index.data(VALUE)) == ("db-1-2", "critical", "31 % rdy")
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "db-1-2, critical, 31 % rdy"
    assert index.parent().data() == "esx1.lab"


def tooltip_lines(index: QModelIndex) -> list[str]:
    return re.findall(">([^<]+)<", index.data(Qt.ItemDataRole.ToolTipRole))


def test_the_tooltip_of_a_heading_names_what_its_symbol_is_of(qapp: object) -> None:
    model = InventoryModel()
    model.set_tree(tree(vms=6))
    heading = model.index(0, 0)
    assert tooltip_lines(heading) == ["Hosts"]
    symbols = {ref("vm", f"0/{number}"): Symbol("warning") for number in range(5)}
    symbols |= {ref("vm", "1/2"): Symbol("critical"), ref("host", "esx1"): Symbol("critical", is_below=True)}
    model.set_health({**symbols, ref("vm", "1/3"): Symbol("affected")})
    named = [f"db-0-{number}: warning" for number in range(3)]
    assert tooltip_lines(heading) == ["Hosts", "db-1-2: critical", *named, "and 2 more"]


def test_headings_show_the_worst_of_what_is_below_them(qapp: object) -> None:
    model = InventoryModel()
    model.set_tree(tree())
    heading = model.index(0, 0)
    assert (heading.data(HEALTH), heading.data(Qt.ItemDataRole.AccessibleTextRole)) == ("none", "Hosts")
    told: list[str] = []
    model.dataChanged.connect(lambda index, *_: told.append(index.data()))
    vm, host, other = ref("vm", "1/2"), ref("host", "esx1"), ref("vm", "0/0")
    symbols = {vm: Symbol("critical"), host: Symbol("critical", is_below=True), other: Symbol("affected")}
    model.set_health(symbols, {vm, host, other, ref("vm", "0/1")}, lambda one: [f"why {one.key}"])
    assert "Hosts" in told
    assert (heading.data(HEALTH), heading.data(IS_BELOW)) == ("critical", True)
    assert heading.data(Qt.ItemDataRole.AccessibleTextRole) == "Hosts, critical below it"
    found = {key: model.index_of(ref("vm", key)).data(HEALTH) for key in ("0/0", "0/1", "0/2", "1/2")}
    assert found == {"0/0": "affected", "0/1": "ok", "0/2": "none", "1/2": "critical"}
    assert "why esx1" in model.index_of(host).data(Qt.ItemDataRole.ToolTipRole)
    spoken = model.index_of(host).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "esx1.lab, critical below it"
    model.set_health({}, {vm})
    assert heading.data(HEALTH) == "none"
    assert model.index_of(other).data(Qt.ItemDataRole.AccessibleTextRole) == "db-0-0, not judged"


def rows_below(model: InventoryModel, heading: str) -> list[str]:
    """The names below a heading at the top of the tree."""
    tops = [model.index(row, 0) for row in range(model.rowCount())]
    found = [top for top in tops if top.data() == heading]
    return [model.index(row, 0, top).data() for top in found for row in range(model.rowCount(top))]


def test_search_lists_vms_then_hosts_then_parts(qtbot: QtBot, theme: Theme) -> None:
    model = InventoryModel()
    view = InventoryView(model, theme)
    qtbot.addWidget(view)
    root = tree()
    hosts = root.children[0].children
    hosts[0].children[0].add(Node.of(ref("vdisk", "0/0/1"), "disk of esx1"))
    hosts[0].add(Node.of(ref("vm", "0/9"), "my-esx1-vm"))
    root.add(Node("Devices")).add(Node.of(ref("device", "naa.esx1"), "mpx"))
    view.show_tree(root)
    view.search.setText("ESX1")
    qtbot.waitUntil(lambda: model.rowCount() == 3)
    assert [model.index(row, 0).data() for row in range(3)] == [
        "VMs (1)", "Hosts and clusters (1)", "Parts and devices (2)",
    ]  # fmt: skip
    assert rows_below(model, "VMs (1)") == ["my-esx1-vm"]
    assert rows_below(model, "Hosts and clusters (1)") == ["esx1.lab"]
    assert rows_below(model, "Parts and devices (2)") == ["mpx", "db-0-0 › disk of esx1"]
    chosen: list[object] = []
    view.chosen.connect(chosen.append)
    qtbot.keyClick(view.search, Qt.Key.Key_Return)
    assert chosen == [[ref("vm", "0/9")]]
    view.search.setText("no such thing")
    qtbot.waitUntil(lambda: model.rowCount() == 0)
    assert not view.tree.isVisibleTo(view)


def test_search_keeps_the_choice_and_escape_returns_to_what_was(qtbot: QtBot, theme: Theme) -> None:
    model = InventoryModel()
    view = InventoryView(model, theme)
    qtbot.addWidget(view)
    view.show_tree(tree(hosts=3, vms=40))
    view.resize(240, 300)
    view.show()
    view.choose([ref("vm", "2/3")])
    closed = model.index_of(ref("host", "esx0"))
    view.tree.setExpanded(closed, False)
    scrolled = view.tree.verticalScrollBar().value()
    said: list[object] = []
    view.chosen.connect(said.append)
    view.search.setFocus()
    qtbot.keyClicks(view.search, "db-1")
    qtbot.waitUntil(lambda: model.index(0, 0).data() == "VMs (40)")
    assert view.selected() == []
    qtbot.keyClick(view.search, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: model.index(0, 0).data() == "Hosts")
    assert view.selected() == [ref("vm", "2/3")]
    assert not view.tree.isExpanded(model.index_of(ref("host", "esx0")))
    assert view.tree.isExpanded(model.index_of(ref("host", "esx1")))
    assert view.tree.verticalScrollBar().value() == scrolled > 0
    assert said == [], "nothing was chosen"


def test_what_arrives_live_moves_nothing(qtbot: QtBot, theme: Theme) -> None:
    model = InventoryModel()
    view = InventoryView(model, theme)
    qtbot.addWidget(view)
    view.show_tree(tree(hosts=3, vms=40))
    view.resize(240, 300)
    view.show()
    view.choose([ref("vm", "0/3")])
    view.tree.setExpanded(model.index_of(ref("host", "esx0")), False)
    view.tree.verticalScrollBar().setValue(30)
    said: list[object] = []
    view.chosen.connect(said.append)
    view.show_tree(tree(hosts=4, vms=41))
    view.choose([ref("vm", "0/3")], scroll=False)
    assert view.selected() == [ref("vm", "0/3")]
    assert not view.tree.isExpanded(model.index_of(ref("host", "esx0")))
    assert view.tree.isExpanded(model.index_of(ref("host", "esx3"))), "a new host is open as others are"
    assert view.tree.verticalScrollBar().value() == 30
    assert said == []
    view.search.setText("db-3-40")
    qtbot.waitUntil(lambda: rows_below(model, "VMs (1)") == ["db-3-40"])
    view.show_tree(tree(hosts=4, vms=42))
    assert rows_below(model, "VMs (1)") == ["db-3-40"], "what was searched stays"


def test_choosing_from_outside_says_nothing(qtbot: QtBot, theme: Theme) -> None:
    model = InventoryModel()
    view = InventoryView(model, theme)
    qtbot.addWidget(view)
    model.set_tree(tree())
    said: list[object] = []
    view.chosen.connect(said.append)
    view.choose([ref("vm", "0/1"), ref("vm", "1/1")])
    assert {one.key for one in view.selected()} == {"0/1", "1/1"}
    assert said == []
    view.choose([])
    assert view.selected() == []


def test_ten_thousand_entities(qtbot: QtBot, theme: Theme) -> None:
    model = InventoryModel()
    view = InventoryView(model, theme)
    qtbot.addWidget(view)
    model.set_tree(tree(hosts=100, vms=100))
    view.search.setText("db-57-")
    qtbot.waitUntil(lambda: len(rows_below(model, "VMs (100)")) == 100)


def test_a_hostile_name_stays_one_line() -> None:
    node = Node.of(ref("vm", "x"), "a\nb\x07<img src=x>" + "n" * 400)
    assert "\n" not in node.title
    assert len(node.title) == 300
    assert Node.of(ref("vm", "x"), "").title == "(without a name)"


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_cluster_has_a_symbol_for_a_trouble_of_its_own(qtbot: QtBot, theme: Theme) -> None:
    """Unevenly loaded hosts are a cluster's own problem; its all-clear is what is in it."""
    model = InventoryModel()
    view = InventoryView(model, theme)
    qtbot.addWidget(view)
    cluster = ref("cluster", "c1")
    root = Node("")
    root.add(Node.of(cluster, "cluster01"))
    model.set_tree(root)
    view.resize(200, 400)
    view.show()

    def drawn(symbol: Symbol) -> QImage:
        model.set_health({cluster: symbol})
        return view.tree.viewport().grab(view.tree.visualRect(model.index(0, 0))).toImage()

    clear = drawn(Symbol("ok"))
    assert clear == drawn(Symbol("none"))
    for trouble in (
        Symbol("critical"),
        Symbol("was critical"),
        Symbol("warning"),
        Symbol("critical", is_below=True),
    ):
        assert drawn(trouble) != clear


def test_names_that_only_end_differently_can_be_told_apart(qtbot: QtBot, theme: Theme) -> None:
    """Devices and uplinks have long names with the same beginning; a row is too short for them."""
    model = InventoryModel()
    view = InventoryView(model, theme)
    qtbot.addWidget(view)
    root = Node("")
    heading = root.add(Node("Devices"))
    for number in (1, 2):
        name = f"naa.600508b40006038600012870000000{number}"
        heading.add(Node.of(ref("device", name), name))
    model.set_tree(root)
    view.resize(200, 400)
    view.show()
    view.tree.expandAll()
    boxes = [view.tree.visualRect(model.index(row, 0, model.index(0, 0))) for row in range(2)]
    first, second = (view.tree.viewport().grab(box).toImage() for box in boxes)
    assert first != second


@pytest.mark.parametrize("room", [70, 80, 90, 100])
def test_names_that_differ_before_their_end_can_be_told_apart(qapp: object, room: int) -> None:
    """At 960 × 600 there were eight ``JBOS…ing)`` below two hosts."""
    metrics = QFontMetrics(body_font(13))
    names = [f"JBOSS {number:02} (billing)" for number in range(12)]
    elider = NameElider(names)
    short = [elider.elided(name, room, metrics) for name in names]
    assert len(set(short)) == len(names)
    assert all(metrics.horizontalAdvance(name) <= room for name in short)
    assert elided_name("web01", 300, metrics) == "web01"
    assert "003" in elided_name("a very long name of a virtual machine 003", room, metrics)


class Menu:
    """The inventory with its menu, and what the menu asked for."""

    def __init__(self, qtbot: QtBot, theme: Theme) -> None:
        model = InventoryModel()
        self.view = InventoryView(model, theme)
        qtbot.addWidget(self.view)
        model.set_tree(tree())
        model.set_health({ref("vm", "1/2"): Symbol("critical")}, {ref("host", "esx0")})
        model.set_values({ref("vm", "1/2"): "31 % rdy"})
        self.view.show()
        self.wanted: list[object] = []
        self.said: list[str] = []
        menu = self.view.menu
        for signal, what in ((menu.scoped, "scope"), (menu.charted, "chart"), (menu.exported, "export")):
            signal.connect(lambda refs, what=what: self.wanted.append((what, [one.key for one in refs])))
        self.view.chosen.connect(lambda _refs: self.wanted.append("selected"))
        menu.copied.connect(self.said.append)

    def point_at(self, entity: EntityRef) -> None:
        """Press the right button on an entity, as a right click does before its menu opens."""
        model = self.view.tree.model()
        assert isinstance(model, InventoryModel)
        box = self.view.tree.visualRect(model.index_of(entity))
        QTest.mousePress(self.view.tree.viewport(), Qt.MouseButton.RightButton, pos=box.center())

    def choose(self, text: str) -> None:
        menu = context_menu_of(self.view.tree)
        assert menu is not None
        [entry] = [one for one in menu.entries() if isinstance(one, MenuEntry) and one.text == text]
        entry.act()

    @property
    def texts(self) -> list[str]:
        menu = context_menu_of(self.view.tree)
        assert menu is not None
        return [one.text for one in menu.entries() if one is not None]


def test_a_right_click_changes_nothing_and_its_menu_is_about_what_is_under_it(
    qtbot: QtBot, theme: Theme
) -> None:
    menu = Menu(qtbot, theme)
    menu.view.choose([ref("host", "esx0")])
    menu.point_at(ref("vm", "1/2"))
    assert menu.wanted == []
    assert [one.key for one in menu.view.selected()] == ["esx0"]
    assert menu.texts[:5] == [
        "Show only db-1-2", "Add to the scope", "Chart db-1-2", "Troubleshoot db-1-2", "What is its number?",
    ]  # fmt: skip
    for text in ("Show only db-1-2", "Add to the scope", "Chart db-1-2", "Export db-1-2…"):
        menu.choose(text)
    assert menu.wanted == [
        ("scope", ["1/2"]),
        ("scope", ["esx0", "1/2"]),
        ("chart", ["1/2"]),
        ("export", ["1/2"]),
    ]
    menu.choose("Copy the path")
    assert QGuiApplication.clipboard().text() == "esx1.lab › db-1-2"
    menu.choose("Copy the name")
    assert QGuiApplication.clipboard().text() == "db-1-2"


def test_several_chosen_are_one_subject(qtbot: QtBot, theme: Theme) -> None:
    menu = Menu(qtbot, theme)
    menu.view.choose([ref("vm", "1/1"), ref("vm", "1/2")])
    menu.point_at(ref("vm", "1/2"))
    menu.choose("Chart these 2")
    menu.choose("Take out of the scope")
    assert menu.wanted == [("chart", ["1/1", "1/2"]), ("scope", ["1/1"])]


def test_two_keys_copy_the_table_or_what_is_chosen(qtbot: QtBot, theme: Theme) -> None:
    menu = Menu(qtbot, theme)
    menu.view.tree.setFocus()
    qtbot.keyClick(menu.view.tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[:4] == [
        "name\tkind\tpath\tstate\tvalue",
        "Hosts\t\t\tcritical below it\t",
        "esx0.lab\thost\tesx0.lab\tno problem found\t",
        "db-0-0\tvm\tesx0.lab › db-0-0\tnot judged\t",
    ]
    assert lines[-1] == "db-1-2\tvm\tesx1.lab › db-1-2\tcritical\t31 % rdy"
    assert len(lines) == 1 + 1 + 2 + 6
    menu.view.choose([ref("vm", "1/2")])
    qtbot.keyClick(menu.view.tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[1:] == lines[-1:]
    assert menu.said == ["Inventory: 9 rows copied.", "Inventory: 1 row copied."]
