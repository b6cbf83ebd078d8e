import { Link } from '@tanstack/react-router';
import { classes } from '../../ui/classes.ts';
import { Mark } from '../../ui/mark.tsx';
import { HealthAtFoot } from './health.tsx';
import { useMenu } from './pages.ts';
import { ProjectSwitcher } from './project-switcher.tsx';
import { useSession } from './session.ts';

/** The project switcher and the menu. @param onChoose called after a page is chosen */
export function Sidebar({ onChoose }: { onChoose?: () => void }) {
  const { service } = useSession();
  const menu = useMenu();
  return (
    <div className="flex h-full flex-col gap-4 overflow-y-auto p-3">
      <ProjectSwitcher onChoose={onChoose} />
      <nav aria-label="Dashboard">
        {menu.map(({ name: group, pages }) => (
          <div key={group} className="mb-3 last:mb-0">
            <h2 className="px-2.5 pb-1 text-xs font-medium text-faint">{group}</h2>
            <ul className="grid gap-0.5">
              {pages.map(({ to, name, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: to === '/', includeSearch: false }}
                    onClick={onChoose}
                    className={classes(
                      'flex h-10 items-center gap-2.5 rounded-md px-2.5 font-medium text-muted transition-colors duration-75 sm:h-8',
                      'hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-accent',
                    )}
                  >
                    <Icon />
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <HealthAtFoot className="mt-auto" onChoose={onChoose} />
      <p className="flex items-center gap-2 px-2.5 text-xs text-faint">
        <Mark className="size-4" />
        Posthorn {service.version}
        {service.provider === 'sandbox' && (
          <span
            title="Mail is not delivered: it is stored here for inspection."
            className="ml-auto text-warn"
          >
            Sandbox
          </span>
        )}
      </p>
    </div>
  );
}
