/** Parses `text/event-stream` incrementally: chunks of text in, whole events out. */
export interface StreamEvent {
  event: string
  data: string
}

export function eventReader(): (piece: string) => StreamEvent[] {
  let rest = ''
  let event = ''
  let data: string[] = []

  function take(line: string, found: StreamEvent[]): void {
    if (line === '') {
      if (data.length > 0) found.push({ event: event || 'message', data: data.join('\n') })
      event = ''
      data = []
      return
    }
    const colon = line.indexOf(':')
    // A line starting with a colon is a comment, sent to keep the connection open.
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }

  return (piece) => {
    const found: StreamEvent[] = []
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line.replace(/\r$/, ''), found)
    return found
  }
}
