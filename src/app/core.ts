/**
 * The only place where the service is put together. `Core` builds the parts that several servers, the command line or tests need. It builds
 * each part once, on first use. Disposing of the core closes the parts in reverse order. A process without the role http has only a
 * `BaseCore`, so that the process starts sooner and stays smaller. No logic.
 */
import { Alerts } from '../alerts/alerts.ts';
import type { AlertChannels } from '../alerts/channel.ts';
import { openUserFactors, type UserFactors } from '../accounts/factors/user-factors.ts';
import { Passkeys } from '../accounts/factors/passkeys.ts';
import { SecondFactors } from '../accounts/factors/second-factors.ts';
import { Tickets } from '../accounts/factors/tickets.ts';
import { ProjectKeys } from '../accounts/keys/project-keys.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { Directory } from '../directory/directory.ts';
import { PeopleSearch } from '../directory/people-search.ts';
import { Domains } from '../domains/domains.ts';
import { sendsFromHost } from '../domains/host-name.ts';
import { leastRolesOf } from '../doors/http/grantable.ts';
import { OPERATION_MODULES } from '../doors/http/operation-modules.ts';
import { SendingHealth } from '../insights/health/sending-health.ts';
import { EmailInspector } from '../insights/email-inspector.ts';
import { Aliases } from '../mailboxes/aliases.ts';
import { DashboardMailboxes } from '../mailboxes/dashboard-mailboxes.ts';
import { type MailboxId, MAILBOXES } from '../mailboxes/sign-in/mailbox-realm.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { FileLinks } from '../file-links/file-links.ts';
import { FilterSettings } from '../receiving/filter-settings.ts';
import type { Acceptor } from '../sending/accept/accept-email.ts';
import { EmailLists } from '../sending/read/email-lists.ts';
import { SingleEmails } from '../sending/read/single-emails.ts';
import { EmailSearch } from '../insights/search/email-search.ts';
import { AccountMail } from '../sending/service-mail/account-mail.ts';
import { ServiceMail } from '../sending/service-mail/service-mail.ts';
import { SuppressionSearch } from '../sending/suppress/suppression-search.ts';
import { Suppressions } from '../sending/suppress/suppressions.ts';
import type { System } from '../installation/system/system.ts';
import { PiecePages } from '../templates/piece-pages.ts';
import { TemplatePages } from '../templates/template-pages.ts';
import { TemplateThread } from '../templates/template-thread.ts';
import { Templates } from '../templates/templates.ts';
import { Routes } from '../routes/routes.ts';
import { DashboardWebhooks } from '../webhooks/dashboard-webhooks.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import { DashboardRouteMessages } from '../routes/messages/dashboard-messages.ts';
import { RouteMessages } from '../routes/messages/route-messages.ts';
import type { ImmediateMail } from '../alerts/email/immediate-mail.ts';
import { createAcceptor } from './acceptor.ts';
import { createAlertChannels } from './alert-channels.ts';
import { BaseCore } from './base-core.ts';
import { createImmediateMail } from './immediate-mail.ts';
import { createSystem } from './system.ts';

/** The maximum number of concurrent test requests to webhooks at one origin. */
const WEBHOOK_CONNECTIONS = 20;

export class Core extends BaseCore {
  /** A core that shares with `base` the lanes and the parts that need no database. Disposing of one of the two closes both. */
  static over(base: BaseCore): Core {
    return new Core(base.inputs, base);
  }

  /** Accepts every email to be sent, whether it arrives over HTTP or SMTP. */
  get acceptor(): Acceptor {
    return this.once('acceptor', () => createAcceptor(this));
  }

  get userFactors(): UserFactors {
    const { database, sealer, logger, baseUrl, config } = this;
    return this.once('userFactors', () =>
      openUserFactors({
        database,
        sealer,
        logger,
        baseUrl,
        provider: config.openId,
        allowsHttp: config.environment === 'development',
        sendsMail: config.provider !== null && config.provider !== 'sandbox',
      }),
    );
  }

  /** Lists and creates API keys for the dashboard. */
  get projectKeys(): ProjectKeys {
    return this.once('projectKeys', () => new ProjectKeys(this.database, leastRolesOf(OPERATION_MODULES)));
  }

  /** Reads for the dashboard. Projects get fair shares of the connections. */
  get dashboardReads(): FairReads {
    return this.reads('dashboard');
  }

  get emailLists(): EmailLists {
    return this.once('emailLists', () => new EmailLists(this.reads('lists')));
  }

  get singleEmails(): SingleEmails {
    return this.once('singleEmails', () => new SingleEmails(this.reads('emails')));
  }

  get emailSearch(): EmailSearch {
    return this.once('emailSearch', () => new EmailSearch(this.reads('search')));
  }

  /** Reads the data for the page of one email in the dashboard. */
  get inspector(): EmailInspector {
    const { config, composing, timings } = this;
    return this.once('inspector', () =>
      this.stack.use(
        new EmailInspector({
          reads: this.reads('inspect'),
          hostname: config.hostname,
          composing,
          timings: timings.inspect,
        }),
      ),
    );
  }

  get domains(): Domains {
    return this.once(
      'domains',
      () =>
        new Domains({
          database: this.database,
          sealer: this.sealer,
          dnsOf: this.dnsOf,
          mailAccess: this.mailAccess,
          mxNames: this.config.mxNames,
          sendsDirectly: sendsFromHost(this.config.provider),
          hostedDomain: this.config.hostedDomain,
          trustsManualVerification: this.trustsManualVerification,
          complaintAddressOf: (domain) => this.returnPaths.complaintAddress(domain),
        }),
    );
  }

  get mailboxes(): Mailboxes {
    const { database, config } = this;
    return this.once('mailboxes', () => new Mailboxes({ database, hostedDomain: config.hostedDomain }));
  }

  /** Mailboxes for the dashboard, which shows more fields than the API. */
  get mailboxPages(): DashboardMailboxes {
    return this.once(
      'mailboxPages',
      () => new DashboardMailboxes({ reads: this.dashboardReads, mailAccess: this.mailAccess }),
    );
  }

  get aliases(): Aliases {
    const { database, config } = this;
    return this.once('aliases', () => new Aliases({ database, hostedDomain: config.hostedDomain }));
  }

  get directory(): Directory {
    return this.once('directory', () => new Directory(this.database));
  }

  /** Search of the directory, for the dashboard. */
  get people(): PeopleSearch {
    return this.once('people', () => new PeopleSearch(this.dashboardReads));
  }

  get suppressions(): Suppressions {
    return this.once('suppressions', () => new Suppressions(this.database));
  }

  get suppressionSearch(): SuppressionSearch {
    return this.once('suppressionSearch', () => new SuppressionSearch(this.dashboardReads));
  }

  get templates(): Templates {
    return this.once('templates', () => new Templates(this.database));
  }

  /** Separate from the thread that fills templates for emails, so that emails do not wait for users who are editing. */
  private get editingThread(): TemplateThread {
    return this.once('editingThread', () => this.stack.use(new TemplateThread('writing templates')));
  }

  /** Layouts and partials, for the dashboard. */
  get piecePages(): PiecePages {
    const { database, editingThread } = this;
    return this.once('piecePages', () => new PiecePages(database, editingThread));
  }

  /** Template editing, for the dashboard. */
  get templatePages(): TemplatePages {
    const { database, templates, editingThread } = this;
    return this.once('templatePages', () => new TemplatePages(database, templates, editingThread));
  }

  get webhooks(): Webhooks {
    const { database, sealer, config } = this;
    return this.once(
      'webhooks',
      () =>
        new Webhooks({
          database,
          sealer,
          environment: config.environment,
          client: this.openClient(WEBHOOK_CONNECTIONS),
        }),
    );
  }

  get routes(): Routes {
    const { database, sealer, config } = this;
    const { environment, hostedDomain } = config;
    return this.once('routes', () => new Routes({ database, sealer, environment, hostedDomain }));
  }

  /** Webhooks for the dashboard, which shows more fields than the API. */
  get webhookPages(): DashboardWebhooks {
    const { database, sealer } = this;
    return this.once(
      'webhookPages',
      () => new DashboardWebhooks({ database, sealer, reads: this.dashboardReads }),
    );
  }

  /** Reads the messages of routes for programs. */
  get routeMessages(): RouteMessages {
    const { sealer, routeFormatter: formatter, routeLinks: links, mailNotices: notices } = this;
    const { blobs } = this.on('mail');
    return this.once(
      'routeMessages',
      () => new RouteMessages({ reads: this.reads('emails'), blobs, sealer, formatter, links, notices }),
    );
  }

  /** The messages of routes for the dashboard, without their content. */
  get routeMessagePages(): DashboardRouteMessages {
    return this.once('routeMessagePages', () => new DashboardRouteMessages(this.dashboardReads));
  }

  /** Sends invitations, and links that sign a user in or reset a password. */
  get accountMail(): AccountMail {
    const { database, baseUrl, logger, config, sealer, trustsManualVerification, wake } = this;
    const { mailFrom, hostedDomain } = config;
    return this.once('accountMail', () =>
      this.stack.use(
        new AccountMail({
          database,
          baseUrl,
          logger,
          mail: new ServiceMail({ from: mailFrom, hostedDomain, sealer, trustsManualVerification }),
          onQueued: wake,
        }),
      ),
    );
  }

  /** Sends alerts by email, even if no worker runs. */
  get immediateMail(): ImmediateMail {
    return this.once('immediateMail', () => createImmediateMail(this));
  }

  /** The page System, for operators only. */
  get system(): System {
    return this.once('system', () => createSystem(this));
  }

  /** Whether mail is sent, for the line on every page of the dashboard. */
  get health(): SendingHealth {
    const { dashboardReads: reads, inputs, system } = this;
    const presence = inputs.presence ?? null;
    return this.once(
      'health',
      () => new SendingHealth({ reads, presence, concerns: () => system.concerns() }),
    );
  }

  /** The ways to notify users about problems. */
  get alertChannels(): AlertChannels {
    return this.once('alertChannels', () => createAlertChannels(this));
  }

  /** The alerts that users set up. */
  get alerts(): Alerts {
    const { database, sealer, config, alertChannels: channels, baseUrl } = this;
    const { environment } = config;
    return this.once('alerts', () => new Alerts({ database, sealer, environment, channels, baseUrl }));
  }

  /** Filters, blocked senders, vacation and forwarding of mailboxes. */
  get filterSettings(): FilterSettings {
    const { database, sendingDomains, mailDomains } = this;
    return this.once('filterSettings', () => new FilterSettings({ database, sendingDomains, mailDomains }));
  }

  /** Returns the URL of the web client. Passkeys are bound to the host of this URL. Called for each request. */
  get mailUrl(): () => string {
    const { config, baseUrl } = this;
    return () => config.mailUrl ?? baseUrl();
  }

  get mailboxFactors(): { second: SecondFactors<MailboxId>; passkeys: Passkeys<MailboxId> } {
    const { database, sealer, logger, mailUrl } = this;
    return this.once('mailboxFactors', () => {
      const shared = { realm: MAILBOXES, database, tickets: new Tickets(database, sealer, 'web') };
      return {
        second: new SecondFactors({ ...shared, sealer, logger }),
        passkeys: new Passkeys({ ...shared, baseUrl: mailUrl }),
      };
    });
  }

  /** File links of mailboxes. Their queries use the lane `mail`. */
  get fileLinks(): FileLinks {
    const { sealer, mailUrl } = this;
    const { database } = this.on('mail');
    return this.once(
      'fileLinks',
      () => new FileLinks({ database, sealer, address: () => new URL(mailUrl()).origin }),
    );
  }
}
