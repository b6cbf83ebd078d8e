// The only script in the frame of a message (docs/decisions/0154-height.md). The policy of the frame contains the digest of this file, so
// that browsers run no other script. It runs before the message is parsed, because names in a message can replace properties of `document`.
{
  const { documentElement: root } = document;
  /** A transparent image of one pixel. */
  const BLANK = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
  const LEAST_ZOOM = 0.3;
  const PAUSE_MS = 100;
  // Attack: a wide table shrinks the warning after a misleading link until it is unreadable.
  const mayShrink = document.querySelector('meta[name=scale][content=fixed]') === null;

  let port = null;
  let fits = true;
  let zoom = 1;
  let width = 0;
  let boxHeight = 0;
  /** The height of content that overflows the root element, such as elements with a relative position. */
  let overflow = 0;
  let reported = '';
  let isDue = false;

  /** Shrinks content that is wider than the frame. The root element keeps its scale, so that its height is in pixels of the page. */
  const shrink = () => {
    const { style } = document.body;
    style.removeProperty('zoom');
    zoom = 1;
    if (!fits || !mayShrink || root.scrollWidth <= root.clientWidth) return;
    zoom = Math.max(LEAST_ZOOM, Math.floor((root.clientWidth / root.scrollWidth) * 1000) / 1000);
    style.setProperty('zoom', String(zoom), 'important');
  };

  const report = () => {
    shrink();
    const box = Math.ceil(root.getBoundingClientRect().height);
    if (box !== boxHeight || innerWidth !== width) overflow = 0;
    boxHeight = box;
    width = innerWidth;
    if (root.scrollHeight > root.clientHeight) overflow = Math.max(overflow, root.scrollHeight);
    const scrollbar = innerHeight - root.clientHeight;
    const height = Math.max(box, overflow) + scrollbar;
    if (reported === `${height} ${zoom} ${width}`) return;
    reported = `${height} ${zoom} ${width}`;
    port.postMessage({ height, zoom, width });
  };

  const reportSoon = () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      report();
    }, PAUSE_MS);
  };

  /** Shows blank space of the right size instead of a missing image, or its description if the size is unknown. */
  const clear = (image) => {
    if (!image.hasAttribute('width') || !image.hasAttribute('height')) image.removeAttribute('src');
    else if (image.src !== BLANK) image.src = BLANK;
  };

  addEventListener('message', ({ source, ports }) => {
    if (source !== parent || port !== null || ports[0] === undefined) return;
    [port] = ports;
    // Attack: a height of 100% of the frame plus some pixels, which grows with each change of the frame.
    root.style.setProperty('height', 'auto', 'important');
    root.style.setProperty('min-height', '0', 'important');
    root.style.setProperty('overflow-y', 'hidden', 'important');
    port.addEventListener('message', ({ data }) => {
      fits = data.fits;
      root.style.setProperty('overflow-y', data.scrolls ? 'auto' : 'hidden', 'important');
      report();
    });
    port.start();
    report();
    new ResizeObserver(reportSoon).observe(root);
    addEventListener('resize', reportSoon);
    addEventListener('load', reportSoon, true);
  });

  addEventListener('DOMContentLoaded', () => {
    for (const image of document.querySelectorAll('img:not([src])')) clear(image);
    parent.postMessage('ready', '*');
  });

  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLImageElement) clear(target);
    },
    true,
  );

  // Shortcuts of the page also work after a click into the message.
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (port === null || ctrlKey || metaKey || altKey) return;
    if (key !== 'Escape' && (key.length !== 1 || key === ' ')) return;
    event.preventDefault();
    port.postMessage({ key });
  });

  // The frame does not scroll, and browsers do not let it scroll the page around it.
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    if (port === null || link === null) return;
    event.preventDefault();
    const name = decodeURIComponent(link.hash.slice(1));
    const target = document.getElementById(name) ?? document.getElementsByName(name)[0];
    if (target !== undefined) port.postMessage({ top: target.getBoundingClientRect().top });
  });
}
