/**
 * A name server that knows only the TXT records a test has set (RFC 1035, UDP), for verifying that
 * an organization owns a domain. All other names don't exist.
 */
import { createSocket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { counter, json, serve } from './control.mjs'

const TXT = 16
const HEADER = 12
const SERVFAIL = 2
const NXDOMAIN = 3

export async function startDns({ port = 0, controlPort = 0 } = {}) {
  const asked = counter()
  const records = new Map()
  const trouble = { seconds: 0, down: false }

  const socket = createSocket('udp4')
  let open = true
  socket.on('message', async (query, from) => {
    const question = readQuestion(query)
    if (!question) return
    asked.count(question.name)
    if (trouble.seconds) await sleep(trouble.seconds * 1000)
    if (open) socket.send(reply(query, question), from.port, from.address)
  })
  await new Promise((listening, failed) => {
    socket.once('error', failed).bind(port, '127.0.0.1', listening)
  })

  function reply(query, { name, type, end }) {
    const values = records.get(name)
    if (trouble.down) return answer(query, end, SERVFAIL, [])
    if (!values) return answer(query, end, NXDOMAIN, [])
    return answer(query, end, 0, type === TXT ? values : [])
  }

  const control = await serve({
    port: controlPort,
    answer: (_, response) => json(response, 404, {}),
    seen: () => ({ ...asked.counts }),
    reset() {
      asked.clear()
      records.clear()
      Object.assign(trouble, { seconds: 0, down: false })
    },
    switches: {
      txt: ({ name, values }) => {
        if (values?.length) records.set(name.toLowerCase(), values)
        else records.delete(name.toLowerCase())
      },
      hang: ({ seconds }) => void (trouble.seconds = seconds),
      down: ({ down }) => void (trouble.down = down),
    },
  })
  return {
    address: `127.0.0.1:${socket.address().port}`,
    control: control.url,
    close() {
      open = false
      socket.close()
      control.close()
    },
  }
}

/** The single question of a query, or null if it isn't one. */
function readQuestion(query) {
  if (query.length < HEADER + 5 || query.readUInt16BE(4) !== 1) return null
  const labels = []
  let at = HEADER
  while (query[at]) {
    const length = query[at]
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
    if (at + 5 > query.length) return null
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function answer(query, end, rcode, values) {
  const header = Buffer.from(query.subarray(0, HEADER))
  // An authoritative answer that echoes the query's recursion flag.
  header.writeUInt16BE(0x8480 | (query.readUInt16BE(2) & 0x0100) | rcode, 2)
  header.writeUInt16BE(values.length, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, query.subarray(HEADER, end), ...values.map(record)])
}

/** The name is a pointer to the question's; the text is split into strings of at most 255 bytes. */
function record(value) {
  const text = Buffer.from(value)
  const pieces = []
  for (let at = 0; at === 0 || at < text.length; at += 255) {
    const piece = text.subarray(at, at + 255)
    pieces.push(Buffer.from([piece.length]), piece)
  }
  const data = Buffer.concat(pieces)
  const front = Buffer.alloc(12)
  front.writeUInt16BE(0xc000 | HEADER, 0)
  front.writeUInt16BE(TXT, 2)
  front.writeUInt16BE(1, 4)
  front.writeUInt16BE(data.length, 10)
  return Buffer.concat([front, data])
}
