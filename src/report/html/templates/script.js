"use strict";
(() => {
  const steps = Array.from(document.querySelectorAll("#steps > li"));
  const byId = (id) => document.getElementById(id);
  const [first, previous, next, last] = ["first", "previous", "next", "last"].map((name) => byId("walk-" + name));
  const position = byId("walk-position");
  const values = byId("values");
  let current = -1;

  // The variables that each step assigns, with their values.
  const assigned = steps.map((step) =>
    Array.from(step.querySelectorAll(".values > div"), (pair) => [
      pair.querySelector("dt").title,
      pair.querySelector("dd").textContent,
    ]));

  const showWithin = (box, element) => {
    const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
    box.scrollTop += inner.top - outer.top - (box.clientHeight - inner.height) / 2;
  };

  const showValues = () => {
    const known = new Map();
    for (let index = 0; index <= current; index++) {
      for (const [name, value] of assigned[index]) {
        known.delete(name);
        known.set(name, [value, index]);
      }
    }
    const rows = Array.from(known).reverse().map(([name, [value, index]]) => {
      const row = document.createElement("tr");
      for (const text of [name, value, String(steps[index].value)]) {
        row.insertCell().textContent = text;
      }
      row.classList.toggle("fresh", index === current);
      return row;
    });
    values.replaceChildren(...rows);
  };

  const go = (index, moved = true) => {
    if (index < 0 || index >= steps.length) {
      return;
    }
    if (current >= 0) {
      steps[current].classList.remove("current");
      steps[current].removeAttribute("aria-current");
    }
    for (const line of document.querySelectorAll(".line.here")) {
      line.classList.remove("here");
    }
    current = index;
    const step = steps[current];
    step.classList.add("current");
    step.setAttribute("aria-current", "step");
    showWithin(byId("steps"), step);
    const line = step.dataset.line && byId(step.dataset.line);
    if (line) {
      const fold = line.closest("details");
      if (fold) {
        fold.open = true;
      }
      line.classList.add("here");
      showWithin(line.closest(".listing"), line);
      if (moved) {
        line.closest(".listing").scrollIntoView({ block: "nearest" });
      }
    }
    showValues();
    position.textContent = "step " + step.value + " of " + steps[steps.length - 1].value + ": " + step.querySelector(".what").textContent;
    first.disabled = previous.disabled = current === 0;
    next.disabled = last.disabled = current === steps.length - 1;
    if (moved) {
      history.replaceState(null, "", "#" + step.id);
    }
  };

  first.addEventListener("click", () => go(0));
  previous.addEventListener("click", () => go(current - 1));
  next.addEventListener("click", () => go(current + 1));
  last.addEventListener("click", () => go(steps.length - 1));
  steps.forEach((step, index) => {
    step.querySelector(".step").addEventListener("click", (event) => {
      event.preventDefault();
      go(index);
    });
  });
  for (const link of document.querySelectorAll("a[data-step]")) {
    link.addEventListener("click", (event) => {
      const index = steps.findIndex((step) => step.id === "step-" + link.dataset.step);
      if (index >= 0) {
        event.preventDefault();
        go(index);
      }
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const scrolls = event.target.closest && event.target.closest(".listing, .scroll");
    if (event.key === "n" || event.key === "j" || (event.key === "ArrowRight" && !scrolls)) {
      go(current + 1);
    } else if (event.key === "p" || event.key === "k" || (event.key === "ArrowLeft" && !scrolls)) {
      go(current - 1);
    } else if (event.key === "Home" && event.target.closest("#steps")) {
      go(0);
    } else if (event.key === "End" && event.target.closest("#steps")) {
      go(steps.length - 1);
    } else {
      return;
    }
    event.preventDefault();
  });

  const wanted = steps.findIndex((step) => "#" + step.id === location.hash);
  go(Math.max(wanted, 0), false);
})();
