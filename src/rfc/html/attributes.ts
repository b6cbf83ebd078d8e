/** What of the markup of mail is shown: all else is left out. None of it loads, runs or leads anywhere by itself. */

function set(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Elements that mail is made of, but for `bdo`, with which letters are read from their end. Their tags are written anew; the tags of others go, and what stands between them stays. */
export const ELEMENTS = set(
  'a abbr acronym address area article aside b bdi big blockquote body br caption center cite code col colgroup dd del details dfn ' +
    'dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img ins kbd label legend li main map mark ' +
    'nav ol p picture pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr',
);

/** Other elements that go with all that is in them. What a browser reads in its own way within them never gets there. */
export const LEFT_OUT = set('svg math object applet audio video canvas template select frameset');

/** Attributes whose values mean nothing but how something looks, or what it is called. */
export const ATTRIBUTES = set(
  'abbr align alt bgcolor border cellpadding cellspacing class clear color cols colspan coords datetime dir face headers height hidden hspace ' +
    'id lang name noshade nowrap open reversed role rows rowspan rules scope shape size span start summary title type usemap valign value vspace ' +
    'width',
);

/** Attributes that name an image. */
export const IMAGE_ATTRIBUTES = set('src background');

/** Attributes whose numbers say how many cells, columns or signs there shall be. */
export const COUNTS = set('colspan rowspan span');
export const MAX_COUNT = 100;

/** Elements that have no end. */
export const VOID = set('area br col hr img wbr');
