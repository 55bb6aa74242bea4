// Needs no page.
import { expect, it } from 'vitest'
import { isolated } from './bidi'

it.each([
  ['林小雨 Zoë 👨‍👩‍👧', '林小雨 Zoë 👨‍👩‍👧'],
  ['مريم', '\u2068مريم\u2069'],
  ['a\u202eb', '\u2068a\u202eb\u2069'],
  ['\u2069a\u2067', '\u2068a\u2069'],
])('keeps %j from reordering the sentence around it', (name, inSentence) => {
  expect(isolated(name)).toBe(inSentence)
})
