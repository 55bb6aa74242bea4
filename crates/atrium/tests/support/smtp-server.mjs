/**
 * A real SMTP server on loopback for the mail tests. Prints its port, then a line of JSON per mail
 * taken. What it does is decided by its argument, and can be changed by a line on standard input,
 * which it confirms with a line of its own:
 * accept · refuse (421 at the greeting) · hang (says nothing, and prints that) · slow ADDRESS… (says
 * nothing to mails for these) · hold (takes a mail and does not say so).
 * Whoever gives a password must be atrium with "right".
 * `release` answers for every mail that is held, and `drop` closes the connections that hang; both leave
 * the mode.
 */
import { createInterface } from 'node:readline'
import { SMTPServer } from 'smtp-server'

let mode = process.argv[2] ?? 'accept'
let held = []
let hanging = []
const print = (line) => console.log(JSON.stringify(line))

function hang(session) {
  hanging.push(session.id)
  print({ hanging: true })
}

function connection(id) {
  return [...server.connections].find((connection) => connection.session.id === id)
}

const server = new SMTPServer({
  authOptional: true,
  // Nobody to ask about names here, and the asking would outlast the test.
  disableReverseLookup: true,
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth({ username, password }, session, next) {
    if (username === 'atrium' && password === 'right') next(null, { user: username })
    else next(Object.assign(new Error('wrong password'), { responseCode: 535 }))
  },
  onConnect(session, next) {
    if (mode === 'hang') return hang(session)
    if (mode === 'refuse') return next(Object.assign(new Error('come back later'), { responseCode: 421 }))
    next()
  },
  onRcptTo({ address }, session, next) {
    if (mode.startsWith('slow ') && mode.split(' ').includes(address)) return hang(session)
    next()
  },
  onData(stream, session, done) {
    const chunks = []
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.on('end', () => {
      const to = session.envelope.rcptTo.map((recipient) => recipient.address)
      if (mode === 'hold') held.push(done)
      else done()
      print({ to, raw: Buffer.concat(chunks).toString('base64') })
    })
  },
})
server.on('error', () => {})
server.listen(0, '127.0.0.1', () => console.log(server.server.address().port))

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const order = line.trim()
  if (order === 'release') held.splice(0).forEach((answer) => answer())
  else if (order === 'drop') hanging.splice(0).forEach((id) => connection(id)?.close())
  else mode = order
  print({ done: order })
})
// Whoever started us is gone: so are we.
lines.on('close', () => process.exit(0))
