"use strict";
(() => {
  // The sort key of a cell: its rank, its number, or its text.
  const key = (cell) => {
    if (cell === undefined) return "";
    if (cell.dataset.rank !== undefined) return Number(cell.dataset.rank);
    const text = cell.textContent.trim();
    return text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
  };
  const compare = (one, other) => {
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one === "number") return -1;
    if (typeof other === "number") return 1;
    return one.localeCompare(other);
  };
  for (const table of document.querySelectorAll("table.sheet, #runs")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => head.firstElementChild.addEventListener("click", () => {
      const turn = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [key(row.cells[column]), row]);
      rows.sort((one, other) => turn * compare(one[0], other[0]));
      body.append(...rows.map((pair) => pair[1]));
    }));
  }
  const [category, kind, name] = ["category", "class", "name"].map((id) => document.getElementById(id));
  const rows = [...document.querySelectorAll("#runs tbody tr")];
  const filter = () => {
    const wanted = name.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = (category.value === "" || row.cells[1].textContent === category.value)
        && (kind.value === "" || row.dataset.class === kind.value)
        && row.cells[0].textContent.toLowerCase().includes(wanted);
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    document.getElementById("shown").textContent = `${shown} of ${rows.length} tasks`;
  };
  for (const input of [category, kind, name]) input.addEventListener("input", filter);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  filter();
})();
