#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates tokens with a decoder in a folder as onnxruntime-genai's model builder writes it.

    generate.py FOLDER TOKEN... [--max=32] [--sample --seed=1]

prints the tokens that follow, and on standard error how many there are in a second. The
tokenizer is the caller's. README.md says what is done, and dml-generate is the same in C++.
"""
import argparse
import json
import sys
import time
from pathlib import Path

try:
    import dml
    import numpy as np
except ImportError as error:
    sys.exit(f"error: {sys.executable} has no {error.name}, but dml and NumPy are wanted: "
             "docs/Python.md says how to install them")

CONFIG = "genai_config.json"
# Fixed and growing caches have a multiple of this many positions, so that few sizes occur.
POSITIONS = 128
CACHES = ("fixed", "growing", "exact")


class Refused(Exception):
    """What is wrong with a folder or with an argument."""


class Config:
    """What a folder's genai_config.json says."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.path = self.folder / CONFIG
        try:
            text = self.path.read_text()
        except OSError as error:
            raise Refused(f"the folder has no {CONFIG} that can be read: {error}") from None
        try:
            self.values = json.loads(text)
        except ValueError as error:
            raise Refused(f"'{self.path}' is no JSON: {error}") from None
        decoder = "model.decoder."
        self.model = self.folder / self.text(decoder + "filename")
        self.layers = self.number(decoder + "num_hidden_layers", 1, most=10000)
        self.heads = self.number(decoder + "num_key_value_heads", 1, most=4096)
        self.head_size = self.number(decoder + "head_size", 1, most=65536)
        self.context = self.number("model.context_length", 1)
        self.vocabulary = self.number("model.vocab_size", 1)
        self.ids = self.text(decoder + "inputs.input_ids")
        self.mask = self.text(decoder + "inputs.attention_mask", "")
        self.positions = self.text(decoder + "inputs.position_ids", "")
        self.logits = self.text(decoder + "outputs.logits")
        self.pasts, self.presents = (
            [self.pattern(f"{decoder}{kind}_{part}_names", layer)
             for layer in range(self.layers) for part in ("key", "value")]
            for kind in ("inputs.past", "outputs.present"))
        ends = self.get("model.eos_token_id", [])
        self.ends = ends if isinstance(ends, list) else [ends]
        if not all(type(end) is int for end in self.ends):
            self.refuse("model.eos_token_id", ends, "a token or a list of tokens")
        self.shares_buffer = self.flag("search.past_present_share_buffer", False)
        self.max_length = min(self.number("search.max_length", 1, self.context), self.context)
        self.chunk = self.number("search.chunk_size", 1, 512)
        for name in ("num_beams", "num_return_sequences"):
            if self.number(f"search.{name}", 1, 1) != 1:
                self.refuse(f"search.{name}", self.get(f"search.{name}"), "1: one text is made")
        if self.number("search.no_repeat_ngram_size", 0, 0):
            self.refuse("search.no_repeat_ngram_size",
                        self.get("search.no_repeat_ngram_size"), "0: no words are forbidden")

    def get(self, name, default=None):
        value = self.values
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return default if value is None else value

    def refuse(self, name, value, wanted):
        found = "is not there" if value is None else f"is {json.dumps(value)}"
        raise Refused(f"'{self.path}': '{name}' {found}, but wanted is {wanted}")

    def text(self, name, default=None):
        value = self.get(name, default)
        if not isinstance(value, str):
            self.refuse(name, value, "a text")
        return value

    def pattern(self, name, layer):
        value = self.text(name)
        if value.count("%d") != 1:
            self.refuse(name, value, "a name with one %d for the layer")
        return value.replace("%d", str(layer))

    def flag(self, name, default):
        value = self.get(name, default)
        if not isinstance(value, bool):
            self.refuse(name, value, "true or false")
        return value

    def number(self, name, least, default=None, kind=int, most=2**31 - 1):
        value = self.get(name, default)
        if type(value) not in (int, float) or not least <= value <= most:
            self.refuse(name, value, f"a number from {least} to {most}")
        if kind is int and value != int(value):
            self.refuse(name, value, "a whole number")
        return kind(value)


# The f32 of each f16. NumPy converts numbers of f16 one by one. Looking them up takes half the
# time: 0.1 ms for 128,256 logits.
_HALVES = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)


def _widen(logits):
    """The logits in f32."""
    if logits.dtype == np.float16:
        return np.take(_HALVES, logits.view(np.uint16))
    return logits.astype(np.float32)


class Decoder:
    """A decoder with its caches. `forward` runs tokens behind those that were run before."""

    def __init__(self, config, capacity, kind=None, copies=False, device=None, programs=None,
                 run_times=None, session=None):
        """`capacity` is the number of positions for which there is ever to be a place, and `kind`
        one of CACHES, instead of what the config says. Decoders of one folder may share a
        session."""
        self.config = config
        self.kind = kind or ("fixed" if config.shares_buffer else "growing")
        # Whether runs write their positions into the caches that they read.
        self.stays = not copies and self.kind != "exact"
        self.session = session or dml.Session(
            config.model, device=device, cache_dir=programs, dims={"batch_size": 1},
            run_times=run_times)
        self.inputs = {each.name: each for each in self.session.inputs}
        outputs = {each.name: each for each in self.session.outputs}
        asked = [config.ids, *filter(None, [config.mask, config.positions]), *config.pasts]
        for kind, names, known in (("input", asked, self.inputs),
                                   ("output", [config.logits, *config.presents], outputs)):
            for name in names:
                if name not in known:
                    raise Refused(f"'{config.path}' names the {kind} '{name}', but "
                                  f"'{config.model}' has no such {kind}")
        shape = outputs[config.logits].shape
        if shape and isinstance(shape[-1], int) and shape[-1] != config.vocabulary:
            config.refuse("model.vocab_size", config.vocabulary,
                          f"the {shape[-1]} logits of '{config.logits}'")
        for name in self.inputs:
            if name not in asked:
                raise Refused(f"'{config.model}' has the input '{name}', but '{config.path}' "
                              "does not say what it is")
        self.most = capacity
        self.reset()

    def reset(self):
        """Begins a new text."""
        self.length = 0
        self.capacity = self._fit(0)
        self.caches = [self._make(name, self.capacity) for name in self.config.pasts]
        self.others = None

    def _fit(self, length):
        """The positions of a cache with `length` of them in use: 128, 256, 512 of a growing one."""
        if self.kind != "growing":
            return self.most if self.kind == "fixed" else length
        capacity = POSITIONS
        while capacity < length:
            capacity *= 2
        return min(capacity, self.most)

    def _make(self, name, capacity):
        shape = (1, self.config.heads, capacity, self.config.head_size)
        return dml.Tensor(shape, self.inputs[name].dtype, self.session.device)

    def _get_targets(self, capacity):
        """The tensors for the caches behind the run: those before it, if they may stay."""
        if capacity == self.capacity and self.stays:
            return self.caches
        if capacity == self.capacity and self.others:
            return self.others
        return [self._make(name, capacity) for name in self.config.pasts]

    def forward(self, tokens):
        """Returns the logits that follow the last of `tokens`."""
        config, count = self.config, len(tokens)
        total = self.length + count
        if total > self.most:
            raise Refused(f"there are {total} tokens, but the caches have place for {self.most}")
        capacity = max(self.capacity, self._fit(total))
        feeds = {config.ids: np.asarray([tokens], self.inputs[config.ids].dtype)}
        if config.mask:
            # Zeros behind the positions in use: the size stays, and so does the program.
            mask = np.zeros((1, capacity), self.inputs[config.mask].dtype)
            mask[0, :total] = 1
            feeds[config.mask] = mask
        if config.positions:
            feeds[config.positions] = np.arange(
                self.length, total, dtype=self.inputs[config.positions].dtype)[None]
        targets = self._get_targets(capacity)
        feeds.update(zip(config.pasts, self.caches))
        logits = self.session.run([config.logits, *config.presents], feeds,
                                  into=dict(zip(config.presents, targets)))[0]
        if targets is not self.caches:
            self.others = self.caches if capacity == self.capacity else None
            self.caches, self.capacity = targets, capacity
        self.length = total
        return _widen(logits.reshape(-1, logits.shape[-1])[-1])


class Sampler:
    """Chooses tokens as the search parameters of a config say. Members may be changed."""

    def __init__(self, config, seed=0):
        search = "search."
        self.is_greedy = not config.flag(search + "do_sample", False)
        self.temperature = config.number(search + "temperature", 0, 1.0, float)
        self.top_k = config.number(search + "top_k", 0, 50)
        self.top_p = config.number(search + "top_p", 0, 1.0, float)
        self.penalty = config.number(search + "repetition_penalty", 0, 1.0, float)
        self.min_length = config.number(search + "min_length", 0, 0)
        self.ends = [end for end in config.ends if 0 <= end < config.vocabulary]
        self.state = seed

    def _draw(self):
        """A number from 0 to 1 by the generator splitmix64, as in dml-generate."""
        mask = 2**64 - 1
        self.state = self.state + 0x9e3779b97f4a7c15 & mask
        word = self.state
        for shift, factor in ((30, 0xbf58476d1ce4e5b9), (27, 0x94d049bb133111eb)):
            word = (word ^ word >> shift) * factor & mask
        return ((word ^ word >> 31) >> 11) / 2**53

    def choose(self, logits, tokens):
        """The token that follows `tokens`."""
        if not np.isfinite(logits).all():
            raise Refused(f"a logit behind {len(tokens)} tokens is no finite number")
        scores = logits.astype(np.float64)
        if self.penalty not in (0, 1):
            seen = np.unique(tokens)
            scores[seen] = np.where(scores[seen] < 0, scores[seen] * self.penalty,
                                    scores[seen] / self.penalty)
        if len(tokens) < self.min_length:
            scores[self.ends] = -np.inf
        if self.is_greedy or self.temperature == 0 or self.top_k == 1:
            return int(scores.argmax())
        # Of equal scores the lower token is the better one.
        best = np.argsort(-scores, kind="stable")[:self.top_k or None]
        weights = np.exp((scores[best] - scores[best[0]]) / self.temperature)
        sums = np.cumsum(weights)
        if 0 < self.top_p < 1:
            sums = sums[:int(np.searchsorted(sums, self.top_p * sums[-1])) + 1]
        place = np.searchsorted(sums, self._draw() * sums[-1], side="right")
        return int(best[min(int(place), len(sums) - 1)])


def run_prompt(decoder, prompt, chunk):
    """Runs a prompt, `chunk` tokens at a time; returns the logits behind it."""
    for start in range(0, len(prompt), chunk):
        logits = decoder.forward(prompt[start:start + chunk])
    return logits


def generate(decoder, sampler, prompt, most, chunk):
    """Yields tokens that follow the prompt until one of them ends the text or there are `most`,
    and then the seconds of the prompt and of each token."""
    tokens, started = list(prompt), time.perf_counter()
    logits = run_prompt(decoder, prompt, chunk)
    for count in range(most):
        tokens.append(sampler.choose(logits, tokens))
        now = time.perf_counter()
        yield tokens[-1], now - started
        started = now
        if tokens[-1] in sampler.ends or count + 1 == most:
            return
        logits = decoder.forward(tokens[-1:])


def read_prompt(arguments, config):
    """The tokens of the prompt, of the arguments or of a file."""
    words = arguments.tokens
    if arguments.prompt:
        try:
            words = words + Path(arguments.prompt).read_text().replace(",", " ").split()
        except (OSError, UnicodeDecodeError) as error:
            raise Refused(f"the prompt cannot be read: {error}") from None
    if not words:
        raise Refused("there are no tokens, but wanted is at least one")
    for word in words:
        if not word.isdecimal() or int(word) >= config.vocabulary:
            raise Refused(f"a token is '{word}', but wanted is a number from 0 to "
                          f"{config.vocabulary - 1}")
    if len(words) >= config.max_length:
        raise Refused(f"the prompt has {len(words)} tokens, but the longest text of this decoder "
                      f"has {config.max_length}, and one is to follow")
    return [int(word) for word in words]


def set_sampler(sampler, arguments):
    for name in ("temperature", "top_k", "top_p"):
        if getattr(arguments, name) is not None:
            setattr(sampler, name, getattr(arguments, name))
    if arguments.sample or arguments.greedy:
        sampler.is_greedy = arguments.greedy


def choose_capacity(arguments, config, length):
    """The positions of the caches, for `length` tokens that are run."""
    if arguments.capacity is None:
        return min(-(-length // POSITIONS) * POSITIONS, config.context)
    if not length <= arguments.capacity <= config.context:
        raise Refused(f"the capacity is {arguments.capacity}, but wanted are {length} positions "
                      f"for this text, to {config.context}")
    return arguments.capacity


def report(name, count, seconds):
    rate = f", {count / seconds:.1f} a second" if seconds else ""
    print(f"{name}: {count} tokens in {seconds:.3f} s{rate}", file=sys.stderr)


def run(arguments):
    config = Config(arguments.folder)
    prompt = read_prompt(arguments, config)
    most = min(arguments.max, config.max_length - len(prompt))
    if most < 1:
        raise Refused(f"--max is {arguments.max}, but wanted is 1 token at least")
    # No place is wanted for the last token, which is not run.
    capacity = choose_capacity(arguments, config, len(prompt) + most - 1)
    decoder = Decoder(config, capacity, arguments.cache, arguments.copies, arguments.device,
                      arguments.programs)
    sampler = Sampler(config, arguments.seed)
    set_sampler(sampler, arguments)
    chunk = config.chunk if arguments.chunk is None else arguments.chunk
    if chunk < 1:
        raise Refused(f"--chunk is {chunk}, but wanted is 1 token at least")
    if arguments.warm_up:
        run_prompt(decoder, prompt, chunk)
        if most > 1:
            decoder.forward(prompt[-1:])
        decoder.reset()
    times = []
    for token, seconds in generate(decoder, sampler, prompt, most, chunk):
        print(token, end=" ", flush=True)
        times.append(seconds)
    print()
    if times:
        report("prompt", len(prompt), times[0])
        report("generation", len(times) - 1, sum(times[1:]))
    print(f"programs: {decoder.session.info.compiled} compiled, "
          f"{decoder.session.info.cached} read; caches: {decoder.capacity} positions, "
          f"{decoder.kind}, "
          f"{'in place' if decoder.stays else 'copied'}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("tokens", nargs="*", help="the prompt")
    parser.add_argument("--prompt", metavar="FILE", help="a file with tokens, behind these")
    parser.add_argument("--max", type=int, default=128, help="how many tokens follow at most")
    parser.add_argument("--greedy", action="store_true", help="take the best token always")
    parser.add_argument("--sample", action="store_true", help="draw tokens by their weights")
    parser.add_argument("--seed", type=int, default=0, help="tells one draw from another")
    parser.add_argument("--temperature", type=float)
    parser.add_argument("--top-k", type=int, help="draw from so many tokens; 0: from all")
    parser.add_argument("--top-p", type=float, help="draw from the best with this probability")
    parser.add_argument("--cache", choices=CACHES,
                        help="instead of what past_present_share_buffer says")
    parser.add_argument("--capacity", type=int, help="positions of the caches")
    parser.add_argument("--copies", action="store_true", help="copy the caches in each run")
    parser.add_argument("--chunk", type=int, help="run the prompt in pieces of so many tokens")
    parser.add_argument("--device", help="number, UUID or part of the name of a device")
    parser.add_argument("--programs", metavar="FOLDER", help="keeps compiled programs there")
    parser.add_argument("--warm-up", action="store_true",
                        help="run prompt and step once before, so that times are without compiling")
    try:
        run(parser.parse_args())
    except (Refused, dml.Error) as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
