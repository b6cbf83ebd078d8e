import com.sun.mail.imap.ACL;
import com.sun.mail.imap.IMAPFolder;
import com.sun.mail.imap.IMAPStore;
import com.sun.mail.imap.Rights;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.mail.FetchProfile;
import javax.mail.Flags;
import javax.mail.Folder;
import javax.mail.Message;
import javax.mail.MessagingException;
import javax.mail.Session;
import javax.mail.UIDFolder;
import javax.mail.event.MessageCountAdapter;
import javax.mail.event.MessageCountEvent;
import javax.mail.internet.MimeMessage;
import javax.mail.search.SubjectTerm;

/**
 * Uses a shared mailbox through JavaMail: {@code java JavaMail.java <port> <user> <password> <start of shared names> read|write}. Prints one
 * line per result. After the lines {@code idle} and {@code revoke}, waits for a line of input: then a message was delivered to the shared
 * Inbox, and the grant was revoked.
 */
public class JavaMail {
  private static final Pattern REFUSAL = Pattern.compile("(NO|BAD)( \\[[^\\]]*\\])?");
  private static final Scanner INPUT = new Scanner(System.in);
  private static Session session;

  public static void main(String[] args) throws Exception {
    String user = args[1];
    String password = args[2];
    String prefix = args[3];
    Properties properties = new Properties();
    properties.put("mail.imap.starttls.required", "true");
    properties.put("mail.imap.ssl.trust", "*");
    properties.put("mail.imap.timeout", "10000");
    properties.put("mail.debug", System.getenv().getOrDefault("MAIL_DEBUG", "false"));
    session = Session.getInstance(properties);
    session.setDebugOut(System.err);
    IMAPStore store = (IMAPStore) session.getStore("imap");
    store.connect("127.0.0.1", Integer.parseInt(args[0]), user, password);
    show("shared namespaces", names(store.getSharedNamespaces()));
    show("other users", names(store.getUserNamespaces("ann")));
    show("all", names(store.getDefaultFolder().list("*")));
    show("below", names(store.getFolder(prefix).list("%")));
    IMAPFolder inbox = (IMAPFolder) store.getFolder(prefix + "/INBOX");
    show("exists", inbox.exists() + " " + inbox.getMessageCount() + " " + inbox.getUnreadMessageCount());
    show("attributes", Arrays.toString(inbox.getAttributes()));
    show("rights", inbox.myRights());
    if (args[4].equals("write")) write(store, inbox, prefix);
    else read(store, inbox);
    pause("revoke");
    afterRevoking(store, inbox, user, password);
  }

  private static void write(IMAPStore store, IMAPFolder inbox, String prefix) throws Exception {
    inbox.open(Folder.READ_WRITE);
    show("mode", mode(inbox));
    Message[] messages = inbox.getMessages();
    FetchProfile profile = new FetchProfile();
    profile.add(FetchProfile.Item.ENVELOPE);
    profile.add(FetchProfile.Item.CONTENT_INFO);
    profile.add(FetchProfile.Item.FLAGS);
    profile.add(UIDFolder.FetchProfileItem.UID);
    profile.add("X-Priority");
    inbox.fetch(messages, profile);
    for (Message each : messages) show("message", inbox.getUID(each) + " " + each.getSubject() + " " + each.getContentType());
    show("text", messages[0].getContent().toString().trim());
    show("read", messages[0].isSet(Flags.Flag.SEEN));
    inbox.setFlags(new Message[] {messages[1]}, new Flags(Flags.Flag.FLAGGED), true);
    Flags keyword = new Flags("$Later");
    inbox.setFlags(messages, keyword, true);
    show("found", inbox.search(new SubjectTerm("two")).length);
    show("appended", inbox.appendUIDMessages(new Message[] {message("three")})[0].uid);
    IMAPFolder archive = (IMAPFolder) store.getFolder("Archive");
    inbox.copyMessages(new Message[] {messages[0]}, archive);
    IMAPFolder own = (IMAPFolder) store.getFolder("INBOX");
    own.open(Folder.READ_WRITE);
    own.appendMessages(new Message[] {message("own")});
    own.copyUIDMessages(own.getMessages(), inbox);
    own.close(false);
    inbox.moveMessages(new Message[] {messages[1]}, (IMAPFolder) store.getFolder(prefix + "/Archive"));
    IMAPFolder made = (IMAPFolder) store.getFolder(prefix + "/Orders");
    show("created", made.create(Folder.HOLDS_FOLDERS | Folder.HOLDS_MESSAGES));
    made.setSubscribed(true);
    show("subscribed", names(store.getDefaultFolder().listSubscribed("Shared/*")));
    show("renamed", made.renameTo(store.getFolder(prefix + "/Old orders")));
    show("deleted", store.getFolder(prefix + "/Old orders").delete(false));
    show("quota", inbox.getQuota()[0].quotaRoot);
    show("getACL", failure(inbox::getACL));
    show("addACL", failure(() -> inbox.addACL(new ACL("x@y.example", new Rights("lr")))));
    show("own ACL", acl(own));

    CountDownLatch arrived = new CountDownLatch(1);
    inbox.addMessageCountListener(
        new MessageCountAdapter() {
          @Override
          public void messagesAdded(MessageCountEvent event) {
            arrived.countDown();
          }
        });
    new Thread(
            () -> {
              try {
                inbox.idle(true);
              } catch (MessagingException e) {
                throw new IllegalStateException(e);
              }
            })
        .start();
    pause("idle");
    show("arrived", arrived.await(10, TimeUnit.SECONDS) + " " + inbox.getMessage(inbox.getMessageCount()).getSubject());
  }

  private static void read(IMAPStore store, IMAPFolder inbox) throws Exception {
    show("open to write", failure(() -> inbox.open(Folder.READ_WRITE)));
    inbox.open(Folder.READ_ONLY);
    show("mode", mode(inbox));
    Message one = inbox.getMessage(1);
    show("text", one.getContent().toString().trim());
    show("read", one.isSet(Flags.Flag.SEEN));
    inbox.copyMessages(new Message[] {one}, store.getFolder("Archive"));
    show("append", failure(() -> inbox.appendMessages(new Message[] {message("three")})));
    show("setFlags", failure(() -> one.setFlag(Flags.Flag.FLAGGED, true)));
    show("copy", failure(() -> inbox.copyMessages(new Message[] {one}, inbox)));
    show("create", store.getFolder(inbox.getParent().getFullName() + "/x").create(Folder.HOLDS_MESSAGES));
    show("getACL", failure(inbox::getACL));
  }

  private static void afterRevoking(IMAPStore store, IMAPFolder inbox, String user, String password) throws Exception {
    show("fetch", failure(() -> inbox.getMessage(inbox.getMessageCount()).getContent()));
    show("folder is open", inbox.isOpen());
    if (store.isConnected()) store.close();
    store.connect(user, password);
    show("exists", inbox.exists());
    show("open", failure(() -> inbox.open(Folder.READ_ONLY)));
    show("all", names(store.getDefaultFolder().list("*")));
    store.close();
  }

  private interface Step {
    void run() throws MessagingException, IOException;
  }

  private static String failure(Step action) throws IOException {
    try {
      action.run();
      return "done";
    } catch (MessagingException e) {
      Matcher refusal = REFUSAL.matcher(String.valueOf(e.getMessage()));
      return refusal.find() ? refusal.group() : e.getClass().getSimpleName();
    }
  }

  private static String mode(Folder folder) {
    return folder.getMode() == Folder.READ_WRITE ? "read and write" : "read only";
  }

  private static String acl(IMAPFolder folder) throws MessagingException {
    List<String> entries = new ArrayList<>();
    for (ACL each : folder.getACL()) entries.add(each.getName() + " " + each.getRights());
    return String.join(", ", entries);
  }

  private static String names(Folder[] folders) {
    List<String> names = new ArrayList<>();
    for (Folder each : folders) names.add(each.getFullName());
    return String.join(", ", names);
  }

  private static MimeMessage message(String subject) throws MessagingException {
    String text = "From: a@b.example\r\nSubject: " + subject + "\r\nMIME-Version: 1.0\r\n\r\nHello\r\n";
    return new MimeMessage(session, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Prints the name of a step, and waits until the test has done it. */
  private static void pause(String step) {
    System.out.println(step);
    INPUT.nextLine();
  }

  private static void show(String name, Object value) {
    System.out.println(name + ": " + value);
  }
}
