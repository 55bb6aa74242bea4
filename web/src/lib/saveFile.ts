/** Downloads a file. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // Delayed, because the browser only starts reading after this task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
