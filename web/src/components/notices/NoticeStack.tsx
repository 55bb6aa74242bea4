import { notification } from 'antd'
import { useEffect, useEffectEvent, useRef } from 'react'
import type { ApiError } from '../../api/errors'
import { useConnection } from '../../api/connection'
import { useT } from '../../i18n/useT'
import { RequestId } from '../RequestId'
import { useShortcuts } from '../shortcuts/useShortcuts'
import { noticeClosed, takeNotices, useNotices, type Notice } from './notices'

/** Top right, 4.5 s, 24 px from the edge, 384 px wide. */
const SECONDS = 4.5
/**
 * Finite, because Ant Design closes an open notice immediately if its duration becomes infinite.
 */
const SECONDS_HELD = 3600
const OFFSET = 24
const WIDTH = 384
/** Below the connection notice, while that is shown. */
const OFFSET_BELOW = 160

export default function NoticeStack() {
  const t = useT()
  const connection = useConnection(({ state }) => state)
  const [notices, holder] = notification.useNotification({
    placement: 'topRight',
    top: connection === 'fine' ? OFFSET : OFFSET_BELOW,
  })
  const waiting = useNotices((state) => state.waiting)
  const before = useRef<HTMLElement | null>(null)

  function show({ key, error }: Notice, seconds = SECONDS) {
    notices.error({
      key,
      title: <Text error={error} />,
      description: error.requestId && <RequestId id={error.requestId} />,
      role: 'alert',
      duration: seconds,
      closable: { 'aria-label': t('common.close') },
      styles: { root: { width: WIDTH } },
      className: 'failure-notice',
      onClose: () => noticeClosed(key),
      props: {
        // Keyboard focus holds a notice open, like hovering.
        onFocus: () => show({ key, error }, SECONDS_HELD),
        onBlur: ({ currentTarget, relatedTarget }) => {
          if (!currentTarget.contains(relatedTarget)) show({ key, error })
        },
        onKeyDown: (event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          // First, because losing the focus shows it again.
          before.current?.focus()
          notices.destroy(key)
          noticeClosed(key)
        },
      },
    })
  }
  const showWaiting = useEffectEvent(() => takeNotices().forEach((notice) => show(notice)))
  useEffect(() => showWaiting(), [waiting])

  useShortcuts({
    F8: () => {
      const newest = [...document.querySelectorAll('.failure-notice')].at(-1)
      if (!newest) return
      before.current = document.activeElement as HTMLElement | null
      newest.querySelector('button')?.focus()
    },
  })

  return holder
}

/** Reads the text on each render, so a notice follows a language switch. */
function Text({ error }: { error: ApiError }) {
  useT()
  return error.message
}
