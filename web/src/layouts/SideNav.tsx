/** A section's left menu: a list of links, shown as a strip on narrow screens. */
import { useEffect, useRef } from 'react'
import { Link, Outlet, useLocation } from 'react-router'
import styles from './SideNav.module.css'

interface SideLink {
  label: string
  to: string
  /** Pages below this path have their own links. */
  exact?: boolean
}

interface SideNavProps {
  title: string
  detail?: React.ReactNode
  links: SideLink[]
  /** Shown instead of the page if it can't be shown as it is. */
  children?: React.ReactNode
}

export function SideNav({ title, detail, links, children = <Outlet /> }: SideNavProps) {
  const { pathname } = useLocation()
  const strip = useRef<HTMLUListElement>(null)
  // On a phone the strip is wider than the screen: keep the current link in sight, even after links
  // that depend on permissions appear. Scrolls only the strip, not the page.
  useEffect(() => {
    const list = strip.current
    const current = list?.querySelector<HTMLElement>('[aria-current]')
    if (!list || !current) return
    const before = current.getBoundingClientRect().left - list.getBoundingClientRect().left
    list.scrollLeft += before - (list.clientWidth - current.offsetWidth) / 2
  }, [pathname, links.length])
  return (
    <div className={styles.section}>
      <nav className={styles.nav} aria-label={title}>
        <div className={styles.head}>
          <p className={styles.title}>{title}</p>
          {detail}
        </div>
        <ul ref={strip} className={styles.links}>
          {links.map((link) => (
            <li key={link.to}>
              <Link
                to={link.to}
                className={styles.link}
                aria-current={isAt(pathname, link) ? 'page' : undefined}
              >
                {link.label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className={styles.content}>{children}</div>
    </div>
  )
}

/** A page below a link's path (such as adding a role) still belongs to it. */
function isAt(pathname: string, { to, exact }: SideLink): boolean {
  const [path = to] = to.split('?')
  return pathname === path || (!exact && pathname.startsWith(`${path}/`))
}
