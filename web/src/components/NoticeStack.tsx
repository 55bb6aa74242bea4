import { notification } from 'antd'
import { useEffect } from 'react'
import { takeNotices, useNotices } from './notices'

/** Top right, 4.5 s, 24 px from the edge, 384 px wide: Ant Design's own measures, made explicit. */
const PLACE = { placement: 'topRight', duration: 4.5, top: 24 } as const

export default function NoticeStack() {
  const [notices, holder] = notification.useNotification(PLACE)
  const waiting = useNotices((state) => state.waiting)

  useEffect(() => {
    for (const error of takeNotices()) {
      notices.error({ title: error.message, role: 'alert', styles: { root: { width: 384 } } })
    }
  }, [waiting, notices])

  return holder
}
