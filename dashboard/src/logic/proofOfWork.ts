// The work that the server asks of a new device: a challenge of ALTCHA's second version, with SHA-256
// (https://altcha.org/docs/v2/proof-of-work-captcha). Without WebCrypto, which pages over plain HTTP do not have.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";

export interface Challenge {
  parameters: { algorithm: string; cost: number; keyPrefix: string; nonce: string; salt: string };
  signature: string;
}

/** Solves a challenge, which may take seconds, and returns the proof: base64 of the challenge and its solution. */
export function solve(challenge: Challenge): string {
  const { algorithm, cost, keyPrefix, nonce, salt } = challenge.parameters;
  if (algorithm !== "SHA-256") throw new Error(`no browser solves challenges with ${algorithm}`);
  const prefix = hexToBytes(keyPrefix);
  const input = concatBytes(hexToBytes(salt), hexToBytes(nonce), new Uint8Array(4));
  const view = new DataView(input.buffer);
  for (let counter = 0; counter < 2 ** 32; counter += 1) {
    view.setUint32(input.length - 4, counter);
    let key = sha256(input);
    for (let round = 1; round < cost; round += 1) key = sha256(key);
    if (prefix.every((byte, index) => key[index] === byte)) {
      return btoa(JSON.stringify({ challenge, solution: { counter, derivedKey: bytesToHex(key) } }));
    }
  }
  throw new Error("the challenge has no solution");
}
