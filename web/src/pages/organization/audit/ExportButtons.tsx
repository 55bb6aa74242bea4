import { DownloadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { exportAudit, type AuditFilters, type AuditFormat } from '../../../api/audit'
import { FormError } from '../../../components/form/FormError'
import { useT } from '../../../i18n/useT'
import { saveFile } from '../../../lib/saveFile'
import { useOrg } from '../../../session/org'
import styles from './audit.module.css'

const FORMATS: { format: AuditFormat; label: string }[] = [
  { format: 'csv', label: 'CSV' },
  { format: 'ndjson', label: 'NDJSON' },
]

/** What the filters show, all pages of it, as a file. */
export function ExportButtons({ filters }: { filters: AuditFilters }) {
  const t = useT()
  const org = useOrg()
  const exporting = useMutation({
    mutationFn: async (format: AuditFormat) => {
      const day = new Date().toISOString().slice(0, 10)
      saveFile(`atrium-audit-${day}.${format}`, await exportAudit(org.id, format, filters))
    },
  })
  return (
    <div>
      <FormError>{exporting.error?.message}</FormError>
      <div className={styles.exports}>
        {FORMATS.map(({ format, label }) => (
          <Button
            key={format}
            icon={<DownloadOutlined aria-hidden />}
            loading={exporting.isPending && exporting.variables === format}
            onClick={() => exporting.mutate(format)}
          >
            {t('audit.export', { format: label })}
          </Button>
        ))}
      </div>
    </div>
  )
}
