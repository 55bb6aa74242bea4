import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { useT } from '../i18n/useT'
import { copyText } from '../lib/clipboard'

const SHOWN_MS = 2000

interface CopyButtonProps {
  text: string
  /** Icon only, for use beside a short text; the label becomes its accessible name. */
  compact?: boolean
  children: string
}

/** Copies, and confirms it without changing anything else on screen. */
export function CopyButton({ text, compact, children }: CopyButtonProps) {
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

  const announcement = outcome && t(outcome === 'done' ? 'copy.done' : 'copy.failed')
  return (
    <>
      <Button
        {...(compact && { size: 'small', type: 'text', 'aria-label': children, title: children })}
        icon={outcome === 'done' ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
        onClick={() => void copy()}
      >
        {compact ? null : (announcement ?? children)}
      </Button>
      <span role="status" className="visually-hidden">
        {announcement}
      </span>
    </>
  )
}
