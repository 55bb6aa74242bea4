/** Turns a user agent into readable device properties. */

type Names = [name: string, pattern: RegExp][]

// The first match wins: most browsers and systems also carry the names further down.
const BROWSERS: Names = [
  ['Edge', /Edg(?:e|A|iOS)?\/([\d.]+)/],
  ['Opera', /OP[RT]\/([\d.]+)/],
  ['WeChat', /MicroMessenger\/([\d.]+)/],
  ['Samsung Internet', /SamsungBrowser\/([\d.]+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/([\d.]+)/],
  ['Chrome', /(?:Chrome|CriOS)\/([\d.]+)/],
  ['Safari', /Version\/([\d.]+).*Safari/],
]

const SYSTEMS: Names = [
  ['Windows', /Windows/],
  ['HarmonyOS', /Harmony/],
  ['Android', /Android/],
  ['iOS', /iP(hone|ad|od)/],
  ['macOS', /Mac/],
  ['Chrome OS', /CrOS/],
  ['Linux', /Linux/],
]

export interface Device {
  os: string
  device_type: 'Mobile' | 'PC'
  browser: string
  browser_version: string
}

export function describeDevice({ userAgent, platform, maxTouchPoints }: Navigator): Device {
  const [browser = 'unknown', version = ''] = firstFit(BROWSERS, userAgent)
  let [os = platform || 'unknown'] = firstFit(SYSTEMS, userAgent)
  // iPads identify as Macs, but no Mac has a touch screen.
  if (os === 'macOS' && maxTouchPoints > 1) os = 'iOS'
  return {
    os,
    device_type: os === 'iOS' || /Mobi|Android|Tablet|Harmony/.test(userAgent) ? 'Mobile' : 'PC',
    browser,
    browser_version: version,
  }
}

function firstFit(names: Names, userAgent: string): [name?: string, version?: string] {
  for (const [name, pattern] of names) {
    const found = pattern.exec(userAgent)
    if (found) return [name, found[1]]
  }
  return []
}
