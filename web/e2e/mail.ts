/**
 * Reads what a server without a mail server has "sent": the files in its outbox. Handles only the
 * MIME those files use.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Mail {
  to: string
  subject: string
  text: string
}

/** Emails to an address, oldest first. */
export function mailsTo(dataFolder: string, address: string): Mail[] {
  const outbox = join(dataFolder, 'outbox')
  return listed(outbox)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => readMail(readFileSync(join(outbox, name), 'utf8')))
    .filter(({ to }) => to.toLowerCase().includes(address.toLowerCase()))
}

const PATIENCE_MS = 10_000

/**
 * Waits for the newest email to an address on a subject. Mail goes out after the response, and
 * other mail may be there too, such as the notice about a sign-in from a new browser.
 */
export async function mailTo(dataFolder: string, address: string, about: RegExp): Promise<Mail> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const mails = mailsTo(dataFolder, address)
    const mail = mails.findLast(({ subject, text }) => about.test(subject) || about.test(text))
    if (mail) return mail
    if (Date.now() > deadline) {
      throw new Error(`none of ${mails.length} mails to ${address} is about ${about}`)
    }
    await new Promise((resume) => setTimeout(resume, 100))
  }
}

/** How to recognize each email, in either language. */
export const ABOUT = {
  address: /\/emailValidator\//,
  reset: /\/pwdReset\//,
  code: /\b\d{6}\b/,
}

/** The link is on a line of its own. */
export function linkIn({ text }: Mail): string {
  const link = /^https?:\/\/\S+$/m.exec(text)?.[0]
  if (!link) throw new Error(`no link in:\n${text}`)
  return link
}

export function codeIn({ subject }: Mail): string {
  const code = /\b\d{6}\b/.exec(subject)?.[0]
  if (!code) throw new Error(`no code in: ${subject}`)
  return code
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // The folder is created with the first email.
    return []
  }
}

export function readMail(source: string): Mail {
  const { headers, body } = split(source.replaceAll('\r\n', '\n'))
  const boundary = /boundary="?([^";\n]+)/.exec(headers['content-type'] ?? '')?.[1]
  const parts = boundary ? body.split(`--${boundary}`).map((part) => split(part.trimStart())) : []
  const plain = parts.find((part) => /^text\/plain/.test(part.headers['content-type'] ?? ''))
  const { headers: described, body: encoded } = plain ?? { headers, body }
  return {
    to: headers.to ?? '',
    subject: decodeWords(headers.subject ?? ''),
    text: decodeBody(encoded, described['content-transfer-encoding'] ?? '').replaceAll(
      '\r\n',
      '\n',
    ),
  }
}

function split(part: string): { headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = part.split('\n\n')
  const lines = head.replace(/\n[ \t]+/g, ' ').split('\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { headers: Object.fromEntries(headers) as Record<string, string>, body: rest.join('\n\n') }
}

function decodeBody(body: string, encoding: string): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8')
  return /quoted-printable/i.test(encoding) ? unquote(body.replace(/=\n/g, '')) : body
}

/** Decodes "=?utf-8?b?…?=". White space between two encoded words doesn't count. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : unquote(word.replaceAll('_', ' ')),
    )
}

function unquote(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
