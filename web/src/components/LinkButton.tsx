import { Button, type ButtonProps } from 'antd'
import { useHref, useLinkClickHandler } from 'react-router'

/** A link that looks like a button: it opens in new tabs and is announced as a link. */
export function LinkButton({
  to,
  ...props
}: Omit<ButtonProps, 'href' | 'onClick'> & { to: string }) {
  const follow = useLinkClickHandler<HTMLElement>(to)
  return <Button {...props} href={useHref(to)} onClick={(event) => follow(event)} />
}
