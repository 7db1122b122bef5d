"""Verifies an exported log with nothing but Python's standard library and the openssl program.

usage: verifyAuditExport.py EXPORT PUBLIC_KEY.pem

Written from docs/adr and RFC 9162 alone, to be compared with `./tamga audit verify`: the roots of all heads from the
events, every event's inclusion path in the last one, and the signatures of the heads. Ends with 0 when all is well.
"""

import base64
import hashlib
import json
import struct
import subprocess
import sys
import tempfile
import uuid
from datetime import datetime, timezone


def sha(data):
    return hashlib.sha256(data).digest()


def leaf_of(line):
    event = json.loads(line)
    record = struct.pack(">BQ", 2, int(event["revision"]))
    record += uuid.UUID(event["id"]).bytes
    for member in ("stream", "type", "data", "metadata"):
        text = event[member].encode("utf-8")
        record += struct.pack(">I", len(text)) + text
    return sha(b"\x00" + record)


def root_of(leaves):
    """MTH of RFC 9162 2.1.1, by its definition."""
    if len(leaves) == 0:
        return sha(b"")
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return sha(b"\x01" + root_of(leaves[:k]) + root_of(leaves[k:]))


def proves(leaf, index, size, path, root):
    """RFC 9162 2.1.3.2, step by step."""
    fn, sn, r = index, size - 1, leaf
    for p in path:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            r = sha(b"\x01" + p + r)
            while not fn & 1 and fn != 0:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = sha(b"\x01" + r + p)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and r == root


def is_signed(head, key_path):
    time = datetime.strptime(head["timestamp"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    milliseconds = (time - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() * 1000
    root = base64.b64decode(head["rootHash"])
    signed = struct.pack(">QQB", round(milliseconds), head["treeSize"], len(root)) + root + b"\x00\x00"
    with tempfile.NamedTemporaryFile() as signature, tempfile.NamedTemporaryFile() as content:
        signature.write(base64.b64decode(head["signature"]))
        content.write(signed)
        signature.flush()
        content.flush()
        command = ["openssl", "dgst", "-sha256", "-verify", key_path]
        command += ["-signature", signature.name, content.name]
        return subprocess.run(command, capture_output=True).returncode == 0


def main(export, key_path):
    with open(export + ".proofs", encoding="utf-8") as file:
        proofs = [json.loads(line) for line in file]
    with open(export, encoding="utf-8", newline="\n") as file:
        leaves = [leaf_of(line) for line in file]
    heads = [line for line in proofs if "treeSize" in line]
    blocks = [line for line in proofs if "own" in line]
    for head in heads:
        size = head["treeSize"]
        if root_of(leaves[:size]) != base64.b64decode(head["rootHash"]) or size > len(leaves):
            return f"the head of {size} events has another root"
        if not is_signed(head, key_path):
            return f"the signature of the head of {size} events is wrong"
    root = base64.b64decode(heads[-1]["rootHash"])
    index = 0
    for block in blocks:
        for own in block["own"]:
            path = [base64.b64decode(each) for each in own + block["shared"]]
            if not proves(leaves[index], index, len(leaves), path, root):
                return f"event {index} is not proven"
            index += 1
    if index != len(leaves) or heads[-1]["treeSize"] != len(leaves):
        return "events and proofs are not equally many"
    return None


fault = main(sys.argv[1], sys.argv[2])
print(fault or "verified")
sys.exit(0 if fault is None else 1)
