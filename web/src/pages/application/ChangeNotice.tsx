import { Button } from 'antd'
import { FormNotice } from '../../components/form/FormNotice'
import { useT } from '../../i18n/useT'
import type { Notice } from './useMemberChanges'
import styles from './members.module.css'

/** What was done, with an undo link if possible. */
export function ChangeNotice({ notice }: { notice: Notice | null }) {
  const t = useT()
  return (
    <FormNotice>
      {notice && (
        <>
          {notice.text}{' '}
          {notice.undo && (
            <Button type="link" className={styles.undo} onClick={notice.undo}>
              {t('appMember.undo')}
            </Button>
          )}
        </>
      )}
    </FormNotice>
  )
}
