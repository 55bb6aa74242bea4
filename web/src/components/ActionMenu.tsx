import { MoreOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useRef } from 'react'

export interface Action {
  key: string
  label: string
  danger?: boolean
  onChoose: () => void
}

interface ActionMenuProps {
  /** Names the row, so screen readers can tell a column's buttons apart. */
  label: string
  actions: Action[]
}

/** A row's actions. Renders nothing if there are none. */
export function ActionMenu({ label, actions }: ActionMenuProps) {
  const button = useRef<HTMLButtonElement>(null)
  if (actions.length === 0) return null
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      placement="bottomRight"
      // Inside the page, so it belongs to the page's landmark; inside the table it would be cut
      // off.
      getPopupContainer={(trigger) => trigger.closest('main') ?? document.body}
      menu={{
        items: actions.map(({ key, label: text, danger }) => ({ key, label: text, danger })),
        onClick: ({ key, domEvent }) => {
          // Keep the same Enter press from activating what gets the focus next.
          domEvent.preventDefault()
          // What opens next returns the focus to where it was, and by then the menu is gone.
          button.current?.focus()
          actions.find((action) => action.key === key)?.onChoose()
        },
      }}
    >
      <Button ref={button} type="text" icon={<MoreOutlined aria-hidden />} aria-label={label} />
    </Dropdown>
  )
}
