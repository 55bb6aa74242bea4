import { DownloadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { exportAudit, type AuditFilters, type AuditFormat, type AuditScope } from '../../api/audit'
import { FormError } from '../form/FormError'
import { useT } from '../../i18n/useT'
import { saveFile } from '../../lib/saveFile'
import styles from './audit.module.css'

const FORMATS: { format: AuditFormat; label: string }[] = [
  { format: 'csv', label: 'CSV' },
  { format: 'ndjson', label: 'NDJSON' },
]

interface ExportButtonsProps {
  scope: AuditScope
  filters: AuditFilters
}

/** Downloads all pages of the filtered list as a file. */
export function ExportButtons({ scope, filters }: ExportButtonsProps) {
  const t = useT()
  const exporting = useMutation({
    mutationFn: async (format: AuditFormat) => {
      const day = new Date().toISOString().slice(0, 10)
      saveFile(`atrium-audit-${day}.${format}`, await exportAudit(scope, format, filters))
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
