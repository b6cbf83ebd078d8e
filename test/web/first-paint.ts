/**
 * Measures how soon dashboard pages show content, and the layout shifts while they load, on a processor slowed down four times:
 * `deploy/node test/web/first-paint.ts [<path>...]`, by default for / and /emails.
 */
import { openDashboard } from '../support/dashboard.ts';
import { measureKnownShift, measurePaint } from '../support/paint.ts';

const VISITS = 5;
const SLOWDOWN = 4;
const paths = process.argv.slice(2);

await using dashboard = await openDashboard();
const control = await measureKnownShift(await dashboard.browser.newPage());
if (control.moved === 0) throw new Error('this browser does not report layout shifts');
process.stdout.write(`control, a page with a layout shift: CLS ${control.moved.toFixed(4)}\n`);
await dashboard.service.client().post('/v1/emails', {
  from: 'hello@posthorn.localhost',
  to: ['ada@dst.test'],
  subject: 'A first one',
  text: 'Hello',
});
process.stdout.write(
  `path, first contentful paint in ms of each of ${VISITS} first visits, largest layout shift (CLS)\n`,
);
for (const path of paths.length === 0 ? ['/', '/emails'] : paths) {
  const visits = [];
  for (let visit = 0; visit < VISITS; visit++)
    visits.push(await measurePaint(await dashboard.open('/account'), `/dashboard${path}`, SLOWDOWN));
  const firstMs = visits.map((visit) => visit.firstMs.toFixed(0)).join(' ');
  const moved = Math.max(...visits.map((visit) => visit.moved));
  process.stdout.write(
    `${path} ${firstMs}, ${moved.toFixed(4)} ${visits.flatMap((visit) => visit.what).join(' | ')}\n`,
  );
}
