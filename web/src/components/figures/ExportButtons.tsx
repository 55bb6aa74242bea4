import { DownloadOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { exportOverall, type OverallTable } from '../../api/overall'
import { useT } from '../../i18n/useT'
import { saveFile } from '../../lib/saveFile'
import { useBoard } from './board'
import styles from './ExportButtons.module.css'

/** Downloads all rows of a table, written by the server. */
export function CsvButton({ table, title }: { table: OverallTable; title: string }) {
  const { orgId, question } = useBoard()
  const { start, end } = question
  return (
    <FileButton
      format="CSV"
      title={title}
      file={`atrium-${table}-${start}_${end}.csv`}
      make={() => exportOverall(orgId, table, question)}
    />
  )
}

interface PngButtonProps {
  title: string
  /** The file name without extension. */
  file: string
  /** Undefined if nothing is drawn. */
  draw: () => Promise<Blob> | undefined
}

export function PngButton({ title, file, draw }: PngButtonProps) {
  return (
    <FileButton
      format="PNG"
      title={title}
      file={`atrium-${file}.png`}
      make={async () => (await draw()) ?? null}
    />
  )
}

interface FileButtonProps {
  format: string
  title: string
  file: string
  /** Null if there is nothing to save. */
  make: () => Promise<Blob | null>
  disabled?: boolean
}

export function FileButton({ format, title, file, make, disabled }: FileButtonProps) {
  const t = useT()
  const making = useMutation({
    mutationFn: async () => {
      const content = await make()
      if (content) saveFile(file, content)
    },
  })
  return (
    <span className={styles.export}>
      {making.error && (
        <span className={styles.failure} role="alert">
          {making.error.message}
        </span>
      )}
      <Button
        size="small"
        type="text"
        icon={<DownloadOutlined aria-hidden />}
        disabled={disabled}
        loading={making.isPending}
        aria-label={t('dashboard.export', { title, format })}
        title={t('dashboard.export', { title, format })}
        onClick={() => making.mutate()}
      >
        {format}
      </Button>
    </span>
  )
}
