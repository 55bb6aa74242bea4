/** Hands a file to the person, into whatever place their browser keeps downloads. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Not at once: the browser starts to read after this turn.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
