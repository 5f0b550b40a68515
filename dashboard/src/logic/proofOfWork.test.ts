import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import { expect, it } from "vitest";
import { solve } from "./proofOfWork";

const salt = "00112233445566778899aabbccddeeff";
const nonce = "ffeeddccbbaa99887766554433221100";

/** The key of a counter below 65,536. */
function key(counter: number, cost: number): string {
  const bytes = new Uint8Array([0, 0, counter >> 8, counter & 255]);
  let hash = concatBytes(hexToBytes(salt), hexToBytes(nonce), bytes);
  for (let round = 0; round < cost; round += 1) hash = sha256(hash);
  return bytesToHex(hash);
}

it.each([
  [1, 1],
  [1_000, 1],
  [300, 3],
])("finds the counter %i that the server chose, with %i rounds", (counter, cost) => {
  const keyPrefix = key(counter, cost).slice(0, 32);
  const challenge = { parameters: { algorithm: "SHA-256", cost, keyPrefix, nonce, salt }, signature: "s" };
  expect(JSON.parse(atob(solve(challenge)))).toEqual({
    challenge,
    solution: { counter, derivedKey: key(counter, cost) },
  });
});

it("does not begin what it cannot solve", () => {
  const parameters = { algorithm: "ARGON2ID", cost: 1, keyPrefix: "00", nonce, salt };
  expect(() => solve({ parameters, signature: "s" })).toThrow("ARGON2ID");
});
