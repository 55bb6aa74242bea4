import { DownloadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { exportMyData } from '../../api/security'
import { FormError } from '../../components/form/FormError'
import { useT } from '../../i18n/useT'
import { saveFile } from '../../lib/saveFile'
import { Section } from './Section'
import styles from './Section.module.css'

const FILE = 'atrium-my-data.json'

export function ExportSection() {
  const t = useT()
  const exporting = useMutation({
    mutationFn: exportMyData,
    onSuccess: (file) => saveFile(FILE, file),
  })
  return (
    <Section name="export">
      <FormError>{exporting.error?.message}</FormError>
      <div className={styles.actions}>
        <Button
          icon={<DownloadOutlined aria-hidden />}
          loading={exporting.isPending}
          onClick={() => exporting.mutate()}
        >
          {t('export.submit')}
        </Button>
        <p role="status" className={styles.status}>
          {exporting.isSuccess ? t('export.done', { file: FILE }) : ''}
        </p>
      </div>
    </Section>
  )
}
