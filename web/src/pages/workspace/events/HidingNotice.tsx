import { Button } from 'antd'
import { FormNotice } from '../../../components/form/FormNotice'
import { useT } from '../../../i18n/useT'
import type { Hidden } from './useHiding'

/** What was done, with an undo button. */
export function HidingNotice({ done, onUndo }: { done: Hidden | null; onUndo: () => void }) {
  const t = useT()
  return (
    <FormNotice>
      {done && (
        <>
          {t(done.hidden ? 'events.hiddenDone' : 'events.unhiddenDone', { name: done.event })}{' '}
          <Button type="link" size="small" onClick={onUndo}>
            {t('apps.undo')}
          </Button>
        </>
      )}
    </FormNotice>
  )
}
