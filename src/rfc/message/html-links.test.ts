import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { changeHtml } from './html-links.ts';

const NEW = 'https://t.example/x';

/** Changes every link target to `NEW`, and collects the old targets. */
function change(html: string, beforeBodyEnd = ''): { html: string; hrefs: string[] } {
  const hrefs: string[] = [];
  const changed = changeHtml(html, {
    link(href) {
      hrefs.push(href);
      return NEW;
    },
    beforeBodyEnd,
  });
  return { html: changed, hrefs };
}

describe('changeHtml', () => {
  const changes: [name: string, from: string, to: string][] = [
    ['double quotes', '<a href="https://a.example/">x</a>', `<a href="${NEW}">x</a>`],
    ['single quotes', "<a href='https://a.example/'>x</a>", `<a href='${NEW}'>x</a>`],
    ['no quotes', '<a href=https://a.example/ id=b>x</a>', `<a href=${NEW} id=b>x</a>`],
    ['spaces around =', '<a href = "u">x</a>', `<a href = "${NEW}">x</a>`],
    ['capitals', '<A HREF="u">x</A>', `<A HREF="${NEW}">x</A>`],
    ['an area of an image map', '<area href="u">', `<area href="${NEW}">`],
    ['an attribute before href', '<a title="a > b" href="u">', `<a title="a > b" href="${NEW}">`],
    ['href inside another value', '<a title=\'href="v"\' href="u">', `<a title='href="v"' href="${NEW}">`],
    ['two href attributes, by the first of them', '<a href="u" href="v">', `<a href="${NEW}" href="v">`],
    ['a dollar sign in the text', "<p>$&$1</p><a href='u'>$'</a>", `<p>$&$1</p><a href='${NEW}'>$'</a>`],
    ['no space between the attributes', '<a id="b"href="u">', `<a id="b"href="${NEW}">`],
    ['an empty href', '<a href="">x</a>', `<a href="${NEW}">x</a>`],
  ];
  for (const [name, from, to] of changes) {
    it(`changeHtml changes links with ${name}`, () => {
      assert.equal(change(from).html, to);
    });
  }

  const stays: [name: string, html: string][] = [
    ['a comment', '<!-- <a href="u">x</a> -->'],
    ["Outlook's conditional comment", '<!--[if mso]><a href="u">x</a><![endif]-->'],
    ['a script', '<script>"<a href=\'u\'>"</script>'],
    ['a style', '<style>/* <a href="u"> */</style>'],
    ['a text area', '<textarea><a href="u"></textarea>'],
    ['a style sheet', '<link rel="stylesheet" href="u">'],
    ['the base URL', '<base href="u">'],
    ['a data attribute', '<a data-href="u">x</a>'],
    ['an attribute with another name', '<a hreflang="u">x</a>'],
    ['a tag that is never closed', '<p>x</p><a href="u"'],
    ['text that resembles a tag', '2 < 3 & <a'],
    ['an element whose name starts with a', '<abbr href="u">x</abbr>'],
  ];
  for (const [name, html] of stays) {
    it(`changeHtml leaves ${name} unchanged`, () => {
      assert.equal(change(html).html, html);
    });
  }

  it('changeHtml changes links in a conditional comment for clients other than Outlook', () => {
    const { html } = change('<!--[if !mso]><!--><a href="u">x</a><!--<![endif]-->');
    assert.equal(html, `<!--[if !mso]><!--><a href="${NEW}">x</a><!--<![endif]-->`);
  });

  it('changeHtml decodes character references in links', () => {
    const { hrefs } = change('<a href="https://a.example/?b=1&amp;c=&#50;&copy=3">x</a>');
    assert.deepEqual(hrefs, ['https://a.example/?b=1&c=2&copy=3']);
  });

  it('changeHtml leaves a link unchanged if there is no replacement', () => {
    const html = '<a href="mailto:a@b.example">x</a>';
    assert.equal(changeHtml(html, { link: () => null, beforeBodyEnd: '' }), html);
  });

  const ends: [html: string, expected: string][] = [
    ['<body><p>x</p></body></html>', '<body><p>x</p>[]</body></html>'],
    ['<BODY>x</BODY >', '<BODY>x[]</BODY >'],
    ['<p>x</p>', '<p>x</p>[]'],
    ['<body>x</body><!-- </body> -->', '<body>x[]</body><!-- </body> -->'],
    ['<body>x</body>y</body>', '<body>x</body>y[]</body>'],
    ['<body><a href="u">x</a></body>z', `<body><a href="${NEW}">x</a>[]</body>z`],
    ['', '[]'],
  ];
  for (const [html, expected] of ends) {
    it(`changeHtml inserts the addition before the end of the body: ${html}`, () => {
      assert.equal(change(html, '[]').html, expected);
    });
  }

  it('changeHtml changes only links in any text', () => {
    const piece = fc.constantFrom(
      '<a href="',
      '">',
      "'",
      '</a>',
      '<!--',
      '-->',
      '<script>',
      '</body>',
      '<',
      'x',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        const html = pieces.join('');
        const same = changeHtml(html, { link: () => null, beforeBodyEnd: '' });
        assert.equal(same, html);
        const { html: changed, hrefs } = change(html);
        assert.equal(changed.split(NEW).length - 1, hrefs.length + html.split(NEW).length - 1);
      }),
    );
  });
});
