/**
 * A real SMTP server on loopback for the mail tests. Prints its port, then a line of JSON per mail
 * taken. What it does is decided by its argument, and can be changed by a line on standard input:
 * accept · refuse (421 at the greeting) · hang (says nothing).
 */
import { createInterface } from 'node:readline'
import { SMTPServer } from 'smtp-server'

let mode = process.argv[2] ?? 'accept'

const server = new SMTPServer({
  authOptional: true,
  // Nobody to ask about names here, and the asking would outlast the test.
  disableReverseLookup: true,
  disabledCommands: ['STARTTLS'],
  onConnect(session, next) {
    if (mode === 'hang') return
    if (mode === 'refuse') return next(Object.assign(new Error('come back later'), { responseCode: 421 }))
    next()
  },
  onData(stream, session, done) {
    const chunks = []
    stream.on('data', (chunk) => chunks.push(chunk))
    stream.on('end', () => {
      const to = session.envelope.rcptTo.map((recipient) => recipient.address)
      console.log(JSON.stringify({ to, raw: Buffer.concat(chunks).toString('base64') }))
      done()
    })
  },
})
server.on('error', () => {})
server.listen(0, '127.0.0.1', () => console.log(server.server.address().port))

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => (mode = line.trim()))
// Whoever started us is gone: so are we.
lines.on('close', () => process.exit(0))
