import { Modal } from 'antd'
import { useT } from '../i18n/useT'

interface ConfirmDialogProps {
  open: boolean
  title: string
  /** The confirm button's label: the action, not "OK". */
  confirm: string
  danger?: boolean
  busy?: boolean
  onConfirm: () => void
  onCancel: () => void
  children: React.ReactNode
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const t = useT()
  return (
    <Modal
      open={props.open}
      title={props.title}
      okText={props.confirm}
      cancelText={t('common.cancel')}
      okButtonProps={{ danger: props.danger, loading: props.busy }}
      closable={false}
      width={440}
      destroyOnHidden
      onOk={props.onConfirm}
      onCancel={props.onCancel}
    >
      {props.children}
    </Modal>
  )
}
