/**
 * Estimates how hard a password is to guess, from its length and variety, after discounting what a
 * guesser tries first: common words, the user's own name, sequences, and repeats. Advisory only;
 * usePasswordVerdict asks the server what it accepts.
 */
type Advice = 'personal' | 'common' | 'repeat' | 'sequence' | 'longer' | 'variety'

export interface Strength {
  /** 0: empty, 1: weak, 2: fair, 3: good, 4: strong. */
  level: 0 | 1 | 2 | 3 | 4
  advice: Advice | null
}

/** What the top of every list of leaked passwords has in common, worldwide and in China. */
const COMMON = [
  'password passwort passwd woaini5201314 woaini1314 woaini iloveyou 5201314 1314520 qwertyuiop',
  'qwerty qazwsx 1q2w3e4r 1qaz2wsx zaq12wsx asdfgh zxcvbn admin administrator root welcome letmein',
  'monkey dragon football baseball sunshine princess master shadow superman trustno1 starwars',
  'login hello secret freedom whatever michael charlie jordan computer internet test guest default',
  'changeme a123456 woshishui wangyut2 nihao atrium summer winter spring autumn',
]
  .join(' ')
  .split(' ')
  .sort((one, other) => other.length - one.length)

const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', '1234567890']
const DISGUISES: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}

/** The entropy in bits where a level ends. Eight random characters of every kind have 39. */
const FAIR = 28
const GOOD = 40
const STRONG = 56
const SHORTEST = 8
/** People don't choose characters at random. */
const HUMAN = 0.75
/** What a pattern of any length is worth, in characters: where it starts and how far it goes. */
const PATTERN_WORTH = 1.5

export function assessPassword(password: string, personal: string[] = []): Strength {
  if (password === '') return { level: 0, advice: null }
  const { length, found } = effectiveLength(password, personal)
  const bits = length * Math.log2(poolOf(password)) * HUMAN
  const long = [...password].length >= SHORTEST
  const level = !long || bits < FAIR ? 1 : bits < GOOD ? 2 : bits < STRONG ? 3 : 4
  if (level >= 3) return { level, advice: null }
  return { level, advice: found ?? ([...password].length < 12 ? 'longer' : 'variety') }
}

/** The characters left to guess, and the first pattern found. */
function effectiveLength(password: string, personal: string[]) {
  let rest = password.toLowerCase()
  let length = 0
  let found: Advice | null = null
  const take = (advice: Advice, text: string) => {
    const next = rest.split(text).join('\u0000')
    if (next === rest) return
    // However often it repeats, it is guessed once.
    length += PATTERN_WORTH
    rest = next
    found ??= advice
  }

  for (const word of personalWords(personal)) take('personal', word)
  for (const word of COMMON) {
    take('common', word)
    const place = undisguise(rest).indexOf(word)
    if (place >= 0) take('common', rest.slice(place, place + word.length))
  }
  for (let block = repeatIn(rest); block; block = repeatIn(rest)) take('repeat', block)
  for (let run = sequenceIn(rest); run; run = sequenceIn(rest)) take('sequence', run)
  return { length: length + [...rest.replaceAll('\u0000', '')].length, found }
}

/** The address, its parts, and the name; anything under three characters proves nothing. */
function personalWords(personal: string[]): string[] {
  return personal
    .flatMap((text) => [text, ...text.split(/[\s@._+-]+/)])
    .map((word) => word.trim().toLowerCase())
    .filter((word) => [...word].length >= 3 || /^\p{Script=Han}{2,}$/u.test(word))
    .sort((one, other) => other.length - one.length)
}

/** Replaces one character by one, so positions still match the password. */
function undisguise(text: string): string {
  return text.replace(/[@431!0$57]/g, (sign) => DISGUISES[sign]!)
}

/** "aaa", "abab", "abcabc": a repeated block. */
function repeatIn(text: string): string | null {
  return (/([^\u0000])\1{2,}/u.exec(text) ?? /([^\u0000]{2,}?)\1+/u.exec(text))?.[0] ?? null
}

/** Three or more characters that count up or down or are neighbors on the keyboard. */
function sequenceIn(text: string): string | null {
  for (let start = 0; start < text.length - 2; start += 1) {
    let end = start + 1
    const step = stepBetween(text[start]!, text[end]!)
    while (step && end + 1 < text.length && stepBetween(text[end]!, text[end + 1]!) === step)
      end += 1
    if (step && end - start >= 2) return text.slice(start, end + 1)
  }
  return null
}

function stepBetween(one: string, other: string): string | null {
  for (const row of ROWS) {
    const [from, to] = [row.indexOf(one), row.indexOf(other)]
    if (from >= 0 && to >= 0 && Math.abs(to - from) === 1) return `${row}${to - from}`
  }
  if (!/[a-z0-9]/.test(one) || !/[a-z0-9]/.test(other)) return null
  const step = other.charCodeAt(0) - one.charCodeAt(0)
  return Math.abs(step) === 1 ? `code${step}` : null
}

/** The size of the character sets used. */
function poolOf(password: string): number {
  const kinds: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[0-9]/, 10],
    [/[\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e]/, 33],
    // Chinese and everything else: characters in daily use, not all that exist.
    [/[^\u0020-\u007e]/, 1000],
  ]
  return kinds.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0) || 1
}
