/**
 * What a broken or hostile OpenID provider could answer. The address used to sign in names the
 * fault: anna+badsig@acme.test. Each fault changes one thing in the real provider's answer, so only
 * that thing can cause a rejection.
 */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'

export const FAULTS = {
  unsigned: 'the ID token has no signature (alg none)',
  badsig: 'the ID token is signed with a foreign key under the same key id',
  expired: 'the ID token ran out an hour ago',
  wrongnonce: 'the ID token carries the nonce of another sign-in',
  wrongissuer: 'the ID token names another issuer',
  wrongaudience: 'the ID token is meant for another client',
  azp: 'the ID token was issued to another client (azp)',
  wrongiss: 'the callback names another issuer (iss)',
  unverified: 'the address is not verified',
  noemail: 'there is no address at all',
  replay: 'the code is refused as if it had been used',
}

export function faultsOf(address) {
  const [, ...tags] = address.split('@')[0].split('+')
  return new Set(tags)
}

const hour = 3600

const changes = {
  expired: (claims) => ({ ...claims, iat: claims.iat - 2 * hour, exp: claims.iat - hour }),
  wrongnonce: (claims) => ({ ...claims, nonce: 'nonce-of-another-sign-in' }),
  wrongissuer: (claims) => ({ ...claims, iss: 'https://issuer.invalid' }),
  wrongaudience: (claims) => ({ ...claims, aud: 'another-client' }),
  azp: (claims) => ({ ...claims, azp: 'another-client' }),
}

let foreign

function foreignKey() {
  foreign ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  return foreign
}

/** Applies the faults to the ID token; returns it unchanged if none concern it. */
export function spoil(token, faults, jwk) {
  const [header, payload] = token.split('.').slice(0, 2).map(decode)
  const changed = Object.keys(changes)
    .filter((fault) => faults.has(fault))
    .reduce((claims, fault) => changes[fault](claims), payload)
  if (faults.has('unsigned')) {
    return `${encode({ ...header, alg: 'none' })}.${encode(changed)}.`
  }
  if (faults.has('badsig')) return signed(header, changed, foreignKey())
  if (changed === payload) return token
  return signed(header, changed, createPrivateKey({ key: jwk, format: 'jwk' }))
}

function signed(header, claims, key) {
  const text = `${encode(header)}.${encode(claims)}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
}

function encode(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part) {
  return JSON.parse(Buffer.from(part, 'base64url'))
}
