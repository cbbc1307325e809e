// Zoom, pan, search and folding of the drawings of a page (Page.cpp).
//
// SPDX-License-Identifier: Apache-2.0
//
// Page.cpp draws each graph as it is without this script: a box <g class="node" data-in="0 2">
// for each node, with the numbers of the nodes that it reads, and the lines between boxes. The
// script moves the boxes, folds them into blocks and draws the lines anew.
"use strict";

const gapX = 24, gapY = 44, blockSize = 8, foldedFrom = 60;
const svgNamespace = "http://www.w3.org/2000/svg";

function create(name, attributes, parent) {
  const element = document.createElementNS(svgNamespace, name);
  for (const key of Object.keys(attributes))
    element.setAttribute(key, attributes[key]);
  parent.appendChild(element);
  return element;
}

// The folder that all names have in common: "layer1/" of "layer1/a" and "layer1/b".
function commonName(names) {
  let common = names[0];
  for (const name of names)
    while (!name.startsWith(common))
      common = common.slice(0, -1);
  return common.slice(0, Math.max(common.lastIndexOf("/"), common.lastIndexOf(".")) + 1);
}

// The drawing of one function.
class Drawing {
  constructor(frame) {
    this.frame = frame;
    this.svg = frame.querySelector("svg");
    this.nodes = Array.from(frame.querySelectorAll("g.node"), (element, index) => ({
      element, index, text: element.textContent.toLowerCase(),
      inputs: (element.dataset.in || "").split(" ").filter(Boolean).map(Number),
      height: Number(element.querySelector("rect").getAttribute("height")),
      width: Number(element.querySelector("rect").getAttribute("width")),
    }));
    // The colours of lines within one step.
    this.colors = new Map();
    for (const path of frame.querySelectorAll("path.edge")) {
      if (path.style.stroke)
        this.colors.set(path.dataset.edge, path.style.stroke);
      path.remove();
    }
    this.view = create("g", {class: "view"}, this.svg);
    this.lines = create("g", {}, this.view);
    for (const node of this.nodes)
      this.view.appendChild(node.element);
    this.svg.removeAttribute("viewBox");
    this.svg.setAttribute("width", "100%");
    this.svg.setAttribute("height", "100%");
    this.frame.classList.add("live");
    this.hits = [];
    this.makeBlocks();
    this.open = new Set(this.nodes.length > foldedFrom ? [] : this.blocks);
    this.addTools();
    this.layOut();
    this.fit();
  }

  // Divides the nodes, in their order, where one tensor alone leads on: between the blocks of
  // a residual network, for example. Short parts are joined.
  makeBlocks() {
    const last = this.nodes.map((node) => node.index);
    for (const node of this.nodes)
      for (const input of node.inputs)
        last[input] = Math.max(last[input], node.index);
    this.blocks = [];
    let block = null;
    const alive = new Set();
    for (const node of this.nodes) {
      if (!block)
        this.blocks.push(block = {nodes: []});
      block.nodes.push(node);
      node.block = block;
      if (last[node.index] > node.index)
        alive.add(node.index);
      for (const input of node.inputs)
        if (last[input] <= node.index)
          alive.delete(input);
      const isLong = block.nodes.length >= blockSize;
      if ((alive.size <= 1 && isLong) || block.nodes.length >= 8 * blockSize)
        block = null;
    }
    for (const each of this.blocks)
      each.element = each.nodes.length > 1 ? this.drawBlock(each) : null;
  }

  drawBlock(block) {
    const {width, height} = block.nodes[0];
    const element = create("g", {class: "block", tabindex: 0, role: "button"}, this.view);
    create("title", {}, element).textContent = "Unfolds " + block.nodes.length + " nodes";
    for (const shift of [8, 4, 0])
      create("rect", {width, height, x: shift, y: shift, rx: 4}, element);
    const kinds = new Map();
    for (const node of block.nodes) {
      const kind = node.element.querySelector("text").textContent;
      kinds.set(kind, (kinds.get(kind) || 0) + 1);
    }
    const sorted = Array.from(kinds).sort((a, b) => b[1] - a[1]);
    const lines = [block.nodes.length + " nodes, " + block.nodes[0].index + " to " +
                   block.nodes[block.nodes.length - 1].index];
    for (const [kind, count] of sorted.slice(0, 3))
      lines.push(kind + (count > 1 ? " x " + count : ""));
    const name = commonName(block.nodes.map((node) => node.element.dataset.name || ""));
    if (name)
      lines.splice(1, 0, name.length > 34 ? "\u2026" + name.slice(-33) : name);
    if (sorted.length > 3)
      lines.push("and " + (sorted.length - 3) + " other kinds");
    lines.forEach((line, index) => {
      create("text", {x: 14, y: 17 + 15 * index, class: index ? "" : "what"}, element)
        .textContent = line;
    });
    const unfold = () => {
      this.open.add(block);
      this.layOut();
      this.center(block.nodes[0].element);
    };
    element.addEventListener("click", () => this.moved || unfold());
    element.addEventListener("keydown", (event) => event.key === "Enter" && unfold());
    return element;
  }

  isFolded(block) {
    return block.element && !this.open.has(block);
  }

  // The boxes that are shown, each with those that it reads.
  getBoxes() {
    const boxes = [], boxOf = new Map();
    for (const node of this.nodes) {
      const folded = this.isFolded(node.block);
      const key = folded ? node.block : node;
      if (!boxOf.has(key)) {
        const element = folded ? node.block.element : node.element;
        const box = {element, node: folded ? null : node, inputs: new Set(),
                     width: node.width, height: node.height};
        boxes.push(box);
        boxOf.set(key, box);
      }
      const box = boxOf.get(key);
      boxOf.set(node, box);
      for (const input of node.inputs)
        if (boxOf.get(this.nodes[input]) !== box)
          box.inputs.add(boxOf.get(this.nodes[input]));
    }
    return boxes;
  }

  // Places the boxes in layers, and the layers in columns whose whole has the shape of the
  // frame: a chain is no strip.
  layOut() {
    for (const block of this.blocks) {
      const folded = this.isFolded(block);
      if (block.element)
        block.element.style.display = folded ? "" : "none";
      for (const node of block.nodes)
        node.element.style.display = folded ? "none" : "";
    }
    const boxes = this.getBoxes(), layers = [];
    for (const box of boxes) {
      box.layer = 0;
      for (const input of box.inputs)
        box.layer = Math.max(box.layer, input.layer + 1);
      (layers[box.layer] = layers[box.layer] || []).push(box);
    }
    const height = Math.max(...boxes.map((box) => box.height)) + gapY;
    const widths = layers.map((layer) =>
      layer.reduce((sum, box) => sum + box.width + gapX, 0));
    const shape = this.frame.clientWidth / Math.max(this.frame.clientHeight, 1);
    const widest = Math.max(...widths);
    const rows = Math.max(1, Math.min(layers.length,
      Math.ceil(Math.sqrt(layers.length * widest / (shape * height)))));
    let left = 0;
    for (let first = 0; first < layers.length; first += rows) {
      const column = layers.slice(first, first + rows);
      const width = Math.max(...widths.slice(first, first + rows));
      column.forEach((layer, row) => {
        let x = left + (width - widths[first + row]) / 2;
        for (const box of layer) {
          box.x = x;
          box.y = row * height;
          x += box.width + gapX;
          box.element.setAttribute("transform", "translate(" + box.x + " " + box.y + ")");
        }
      });
      left += width + gapX;
    }
    this.width = left;
    this.height = rows * height;
    this.drawLines(boxes);
  }

  drawLines(boxes) {
    this.lines.replaceChildren();
    for (const box of boxes)
      for (const from of box.inputs) {
        const x0 = from.x + from.width / 2, y0 = from.y + from.height;
        const x1 = box.x + box.width / 2, y1 = box.y;
        const bend = gapY;
        const line = create(
          "path", {d: "M" + [x0, y0] + "C" + [x0, y0 + bend, x1, y1 - bend, x1, y1]}, this.lines);
        const color = from.node && box.node &&
                      this.colors.get(from.node.index + " " + box.node.index);
        if (color) {
          line.classList.add("step");
          line.style.stroke = color;
        }
      }
  }

  // The view

  setView(scale, x, y) {
    this.scale = Math.min(Math.max(scale, 0.02), 8);
    this.x = x;
    this.y = y;
    this.view.setAttribute("transform",
      "translate(" + this.x + " " + this.y + ") scale(" + this.scale + ")");
  }

  // Shows all of the drawing.
  fit() {
    const width = this.frame.clientWidth - 24, height = this.frame.clientHeight - 24;
    const scale = Math.min(width / this.width, height / this.height, 1);
    this.setView(scale, 12 + Math.max(0, (width - scale * this.width) / 2), 12);
  }

  // Zooms, and keeps the point at `x`, `y` of the frame where it is.
  zoom(factor, x = this.frame.clientWidth / 2, y = this.frame.clientHeight / 2) {
    const scale = Math.min(Math.max(this.scale * factor, 0.02), 8);
    const ratio = scale / this.scale;
    this.setView(scale, x - ratio * (x - this.x), y - ratio * (y - this.y));
  }

  // Shows the box in the middle, large enough to be read.
  center(element) {
    const [x, y] = element.getAttribute("transform").match(/-?[\d.]+(e-?\d+)?/g).map(Number);
    const scale = Math.max(this.scale, 0.8);
    this.setView(scale, this.frame.clientWidth / 2 - scale * (x + 132),
                 this.frame.clientHeight / 2 - scale * (y + 43));
  }

  // Search

  search(text) {
    for (const node of this.hits)
      node.element.classList.remove("hit");
    const wanted = text.trim().toLowerCase();
    this.hits = wanted ? this.nodes.filter((node) => node.text.includes(wanted)) : [];
    for (const node of this.hits)
      node.element.classList.add("hit");
    this.current = -1;
    this.next();
  }

  next() {
    if (this.hits.length) {
      this.current = (this.current + 1) % this.hits.length;
      const node = this.hits[this.current];
      if (this.isFolded(node.block)) {
        this.open.add(node.block);
        this.layOut();
      }
      this.center(node.element);
    }
    this.found.textContent = this.hits.length
      ? (this.current + 1) + " of " + this.hits.length
      : this.field.value.trim() ? "none" : "";
  }

  // Tools

  addTools() {
    const bar = document.createElement("div");
    bar.className = "tools";
    const add = (name, text, label, action) => {
      const element = document.createElement(name);
      if (text)
        element.textContent = text;
      element.setAttribute("aria-label", label);
      element.title = label;
      if (action)
        element.addEventListener("click", action);
      bar.appendChild(element);
      return element;
    };
    this.field = add("input", "", "Search for a name, an operator, a type or a level");
    this.field.placeholder = "Search";
    this.field.addEventListener("input", () => this.search(this.field.value));
    this.field.addEventListener("keydown", (event) => event.key === "Enter" && this.next());
    this.found = add("output", "", "Nodes that were found");
    add("button", "+", "Larger", () => this.zoom(1.4));
    add("button", "\u2212", "Smaller", () => this.zoom(1 / 1.4));
    add("button", "all", "Show the whole graph", () => this.fit());
    add("button", "fold", "Fold nodes into blocks", () => this.foldAll(true));
    add("button", "unfold", "Show each node", () => this.foldAll(false));
    this.frame.before(bar);
    this.addPointer();
  }

  foldAll(isFolded) {
    this.open = new Set(isFolded ? [] : this.blocks);
    this.layOut();
    this.fit();
  }

  addPointer() {
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const frame = this.frame.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - frame.left,
                event.clientY - frame.top);
    }, {passive: false});
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => {
      from = {x: event.clientX - this.x, y: event.clientY - this.y,
              startX: event.clientX, startY: event.clientY};
      this.moved = false;
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons)
        return;
      if (Math.hypot(event.clientX - from.startX, event.clientY - from.startY) > 4)
        this.moved = true;
      if (this.moved)
        this.setView(this.scale, event.clientX - from.x, event.clientY - from.y);
    });
    window.addEventListener("pointerup", () => { from = null; });
    this.svg.addEventListener("dblclick", (event) => {
      const frame = this.frame.getBoundingClientRect();
      this.zoom(2, event.clientX - frame.left, event.clientY - frame.top);
    });
  }
}

window.drawings = Array.from(document.querySelectorAll("div.graph"),
                             (frame) => new Drawing(frame));
