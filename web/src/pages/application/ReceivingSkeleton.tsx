import { Skeleton } from 'antd'
import { useT } from '../../i18n/useT'

/** As tall as the figures that are on their way. */
export function ReceivingSkeleton() {
  const t = useT()
  return (
    <div role="status" aria-busy="true">
      <span className="visually-hidden">{t('common.loading')}</span>
      <Skeleton active title={false} paragraph={{ rows: 3 }} aria-hidden="true" />
    </div>
  )
}
