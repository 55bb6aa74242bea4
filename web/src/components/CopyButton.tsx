import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { useT } from '../i18n/useT'
import { copyText } from '../lib/clipboard'

const SHOWN_MS = 2000

/** Copies, and says that it has: nothing else on screen changes. */
export function CopyButton({ text, children }: { text: string; children: string }) {
  const t = useT()
  const [outcome, setOutcome] = useState<'done' | 'failed' | null>(null)

  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])

  async function copy() {
    setOutcome((await copyText(text)) ? 'done' : 'failed')
  }

  const said = outcome && t(outcome === 'done' ? 'copy.done' : 'copy.failed')
  return (
    <>
      <Button
        icon={outcome === 'done' ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
        onClick={() => void copy()}
      >
        {said ?? children}
      </Button>
      <span role="status" className="visually-hidden">
        {said}
      </span>
    </>
  )
}
