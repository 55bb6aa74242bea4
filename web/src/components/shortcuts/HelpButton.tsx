import { QuestionCircleOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useT } from '../../i18n/useT'
import { showOverlay } from './overlay'

/** Shown where the screen has its own shortcuts. */
export function HelpButton() {
  const t = useT()
  return (
    <Button
      type="text"
      icon={<QuestionCircleOutlined aria-hidden />}
      aria-label={t('keys.title')}
      title={t('keys.title')}
      onClick={() => showOverlay('help')}
    />
  )
}
