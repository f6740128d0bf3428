import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * An identifier that carries its time, country and entity, as the PostgreSQL extension iuid makes it.
 *
 * <pre>{@code
 * Iuid id = Iuid.make(125, 1);                        // new, of this moment: country 125, entity 1
 * id.time(); id.country(); id.entity();
 * id = Iuid.parse("019b76da-a87b-807d-8041-23456789abcd");
 * id = Iuid.fromName(125, 1, "order 4711");           // the same input always gives the same identifier
 * statement.setObject(1, id.toUuid());                // JDBC
 * id = Iuid.of(rows.getObject(1, UUID.class));        // of SELECT id::uuid
 * }</pre>
 *
 * Identifiers compare by time; UUID.compareTo() would not, as it compares signed numbers.  Jackson
 * writes an identifier as its text, because it is a CharSequence, and reads it by valueOf().  In tests
 * with AssertJ write assertThatObject(id).  What is refused is an IllegalArgumentException.  R1 and so
 * on are the rules of doc/format.md.
 *
 * <p>Copy this file into your project, below a line with its package: it needs Java 17 and nothing else.
 *
 * <p>Copyright (c) 2026, the iuid authors.  SPDX-License-Identifier: PostgreSQL
 */
public final class Iuid implements CharSequence, Comparable<Iuid>, Serializable {
	/** The ends of the key space (R5). */
	public static final Iuid NIL = new Iuid(0, 0), MAX = new Iuid(-1, -1);

	/** Country, entity, bytes (R7). */
	public static final Comparator<Iuid> COUNTRY_ORDER =
		Comparator.comparingInt(Iuid::countryBits).thenComparingInt(Iuid::entityBits).thenComparing(Comparator.naturalOrder());

	private static final long serialVersionUID = 1;
	private static final long LAST_MS = (1L << 48) - 1, RANDOM_MAX = (1L << 54) - 1, TAIL_MAX = (1L << 42) - 1;
	private static final long TEN_SECONDS = 10_000L << 12;

	private final UUID uuid;

	/** Of the first and the last 8 bytes. */
	public Iuid(long high, long low) {
		uuid = new UUID(high, low);
		boolean nilOrMax = high == low && (high == 0 || high == -1);
		if (!((high >>> 12 & 0xf) == 8 && low >>> 62 == 2 || nilOrMax))
			throw new IllegalArgumentException("uuid \"" + uuid + "\" is not an iuid");
	}

	private long high() {
		return uuid.getMostSignificantBits();
	}

	private long low() {
		return uuid.getLeastSignificantBits();
	}

	/** What was serialized comes in by the constructor, too. */
	private Object readResolve() {
		return of(uuid);
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof Iuid id && uuid.equals(id.uuid);
	}

	@Override
	public int hashCode() {
		return uuid.hashCode();
	}

	/** R1; the arguments fit. */
	private static Iuid compose(long ms, int layout, int country, int entity, long random) {
		return new Iuid(ms << 16 | 8 << 12 | layout << 8 | country, 2L << 62 | (long) entity << 54 | random);
	}

	// --- texts (R2, R3) and UUIDs ----------------------------------------------------------------

	private static final Pattern TEXT = Pattern.compile("D|\\{D\\}".replace("D", "(?:[0-9a-fA-F]{4}-?){7}[0-9a-fA-F]{4}"));

	/** Reads every text that the server reads. */
	public static Iuid parse(String text) {
		if (TEXT.matcher(text).matches()) {
			String digits = text.replaceAll("[{}-]", "");
			try {
				return new Iuid(Long.parseUnsignedLong(digits, 0, 16, 16), Long.parseUnsignedLong(digits, 16, 32, 16));
			} catch (IllegalArgumentException another) {
				// A UUID of another version or variant.
			}
		}
		throw new IllegalArgumentException("invalid input syntax for type iuid: \"" + text + "\"");
	}

	/** The same, by the name that Jackson, JAX-RS and Spring look for. */
	public static Iuid valueOf(String text) {
		return parse(text);
	}

	/** The text that the server writes. */
	@Override
	public String toString() {
		return uuid.toString();
	}

	@Override
	public int length() {
		return 36;
	}

	@Override
	public char charAt(int index) {
		return toString().charAt(index);
	}

	@Override
	public CharSequence subSequence(int start, int end) {
		return toString().subSequence(start, end);
	}

	public UUID toUuid() {
		return uuid;
	}

	public static Iuid of(UUID uuid) {
		return new Iuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
	}

	// --- fields: empty where an identifier does not have them (R4) ---------------------------------

	public OptionalInt layout() {
		return equals(NIL) || equals(MAX) ? OptionalInt.empty() : OptionalInt.of((int) (high() >>> 8) & 0xf);
	}

	public Optional<Instant> time() {
		return layout().orElse(-1) == 0 ? Optional.of(Instant.ofEpochMilli(high() >>> 16)) : Optional.empty();
	}

	public OptionalInt country() {
		return isKnown() ? OptionalInt.of(countryBits()) : OptionalInt.empty();
	}

	public OptionalInt entity() {
		return isKnown() ? OptionalInt.of(entityBits()) : OptionalInt.empty();
	}

	public OptionalLong random() {
		return isKnown() ? OptionalLong.of(low() & RANDOM_MAX) : OptionalLong.empty();
	}

	private boolean isKnown() {
		return layout().orElse(15) <= 1;
	}

	private int countryBits() {
		return (int) high() & 0xff;
	}

	private int entityBits() {
		return (int) (low() >>> 54) & 0xff;
	}

	/** Byte order: time first (R7). */
	@Override
	public int compareTo(Iuid other) {
		int order = Long.compareUnsigned(high(), other.high());
		return order != 0 ? order : Long.compareUnsigned(low(), other.low());
	}

	// --- new identifiers (R10 to R14) --------------------------------------------------------------

	/**
	 * Makes identifiers that ascend, for all threads.  Most programs call {@link Iuid#make}, which is
	 * that of one Maker for the process.
	 */
	public static final class Maker {
		private final Clock clock;
		private final Random random;
		private boolean begun;
		private long reading, time; // in 4096ths of a millisecond since 1970
		private long tail;

		/** The random bits are those of nextBytes(); give a SecureRandom. */
		public Maker(Clock clock, Random random) {
			this.clock = clock;
			this.random = random;
		}

		public synchronized Iuid make(int country, int entity) {
			checkOrigin(country, entity, 255);
			Instant instant = clock.instant();
			if (!isInRange(instant))
				throw new IllegalArgumentException("system clock is out of range for type iuid: " + instant);
			long now = instant.toEpochMilli() << 12 | (instant.getNano() % 1_000_000L << 12) / 1_000_000;
			long bits = draw(6);
			if (!begun || reading - now > TEN_SECONDS || now > time) {
				begun = true;
				reading = time = now;
				tail = bits & TAIL_MAX;
			} else {
				long sum = tail + (bits & 0xffffffffL) + 1;
				time += sum >>> 42;
				tail = sum & TAIL_MAX;
			}
			if (time >>> 12 > LAST_MS) {
				begun = false;
				throw new IllegalArgumentException("system clock is out of range for type iuid: no room after the last identifier");
			}
			return compose(time >>> 12, 0, country, entity, (time & 0xfff) << 42 | tail);
		}

		/** A new identifier of a given time; all its random bits are random. */
		public Iuid makeAt(int country, int entity, Instant at) {
			checkOrigin(country, entity, 255);
			return compose(msOf(at), 0, country, entity, draw(8) & RANDOM_MAX);
		}

		private long draw(int count) {
			byte[] bytes = new byte[count];
			random.nextBytes(bytes);
			long number = 0;
			for (byte b : bytes)
				number = number << 8 | b & 0xff;
			return number;
		}
	}

	private static final Maker PROCESS = new Maker(Clock.systemUTC(), new SecureRandom());

	public static Iuid make(int country, int entity) {
		return PROCESS.make(country, entity);
	}

	public static Iuid makeAt(int country, int entity, Instant at) {
		return PROCESS.makeAt(country, entity, at);
	}

	// --- bounds (R8, R9) ---------------------------------------------------------------------------

	/** The smallest identifier at or after a time. */
	public static Iuid floor(Instant at) {
		if (at.isBefore(Instant.EPOCH))
			return NIL;
		if (at.isAfter(Instant.ofEpochMilli(LAST_MS)))
			return MAX;
		return compose(at.plusNanos(999_999).toEpochMilli(), 0, 0, 0, 0);
	}

	/** The smallest identifier of a country and entity in order by origin; both can be 256. */
	public static Iuid countryFloor(int country, int entity) {
		checkOrigin(country, entity, 256);
		int next = entity == 256 ? 1 : 0;
		return country + next > 255 ? MAX : compose(0, 0, country + next, next == 1 ? 0 : entity, 0);
	}

	// --- derived identifiers (R16 to R19): with a time they are of layout 0 --------------------------

	public static Iuid fromName(int country, int entity, String name) {
		return fromName(country, entity, utf8(name));
	}

	public static Iuid fromName(int country, int entity, String name, Instant at) {
		return fromName(country, entity, utf8(name), at);
	}

	public static Iuid fromName(int country, int entity, byte[] name) {
		checkOrigin(country, entity, 255);
		ByteBuffer digest = digest("iuid.name", name);
		return compose(digest.getLong(0) >>> 16, 1, country, entity, digest.getLong(8) & RANDOM_MAX);
	}

	public static Iuid fromName(int country, int entity, byte[] name, Instant at) {
		checkOrigin(country, entity, 255);
		return compose(msOf(at), 0, country, entity, digest("iuid.name", name).getLong(8) & RANDOM_MAX);
	}

	/** The identifier of a UUID of version 1, 6 or 7, with its time. */
	public static Iuid fromUuid(UUID uuid, int country, int entity) {
		checkOrigin(country, entity, 255);
		long high = uuid.getMostSignificantBits(), low = uuid.getLeastSignificantBits();
		int version = low >>> 62 == 2 ? uuid.version() : 0;
		if (version == 7)
			return compose(high >>> 16, 0, country, entity, (high & 0xfff) << 42 | low << 2 >>> 22);
		if (version != 1 && version != 6)
			throw new IllegalArgumentException("uuid \"" + uuid + "\" has no time for an iuid: only UUIDs of versions 1, 6 and 7 have one");
		long ticks = version == 1 ? (high & 0xfff) << 48 | (high >>> 16 & 0xffff) << 32 | high >>> 32 : high >>> 16 << 12 | high & 0xfff;
		ticks -= 0x01B21DD213814000L; // of 100 ns, 1582-10-15 to 1970
		if (ticks < 0)
			throw new IllegalArgumentException("uuid \"" + uuid + "\" has no time for an iuid: its time is before 1970");
		return compose(ticks / 10_000, 0, country, entity, digestOf(uuid));
	}

	/** The identifier of any UUID and a time. */
	public static Iuid fromUuid(UUID uuid, int country, int entity, Instant at) {
		checkOrigin(country, entity, 255);
		return compose(msOf(at), 0, country, entity, digestOf(uuid));
	}

	private static long digestOf(UUID uuid) {
		byte[] bytes = ByteBuffer.allocate(16).putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()).array();
		return digest("iuid.uuid", bytes).getLong(8) & RANDOM_MAX;
	}

	/** String.getBytes() would replace half a character. */
	private static byte[] utf8(String name) {
		try {
			ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(name));
			byte[] bytes = new byte[encoded.remaining()];
			encoded.get(bytes);
			return bytes;
		} catch (CharacterCodingException half) {
			throw new IllegalArgumentException("a name is well-formed Unicode", half);
		}
	}

	// --- hidden identifiers (R20, R21) ---------------------------------------------------------------

	private static final int ROUNDS = 30;
	private static final long HALF = (1L << 61) - 1;

	/** A UUID of version 4 that tells nothing without the key of 32 bytes. */
	public UUID hide(byte[] key) {
		if (country().isEmpty())
			throw new IllegalArgumentException("iuid \"" + this + "\" cannot be hidden");
		ByteBuffer k = roundKey(key);
		long left = leftHalf(high(), low()), right = low() & HALF;
		for (int round = 0; round < ROUNDS; round++) {
			long next = left ^ sipHash(k, round, right) & HALF;
			left = right;
			right = next;
		}
		return new UUID(highOf(left, 4), lowOf(left, right));
	}

	/** The identifier that was hidden; empty for a UUID that no identifier gives. */
	public static Optional<Iuid> reveal(UUID hidden, byte[] key) {
		ByteBuffer k = roundKey(key);
		long right = hidden.getLeastSignificantBits() & HALF;
		long left = leftHalf(hidden.getMostSignificantBits(), hidden.getLeastSignificantBits());
		if (hidden.version() != 4 || hidden.getLeastSignificantBits() >>> 62 != 2)
			return Optional.empty();
		for (int round = ROUNDS - 1; round >= 0; round--) {
			long last = right ^ sipHash(k, round, left) & HALF;
			right = left;
			left = last;
		}
		Iuid id = new Iuid(highOf(left, 8), lowOf(left, right));
		return id.country().isEmpty() ? Optional.empty() : Optional.of(id);
	}

	/** The upper 61 of the 122 bits without version and variant. */
	private static long leftHalf(long high, long low) {
		return high >>> 16 << 13 | (high & 0xfff) << 1 | low >>> 61 & 1;
	}

	private static long highOf(long left, int version) {
		return left >>> 13 << 16 | version << 12 | left >>> 1 & 0xfff;
	}

	private static long lowOf(long left, long right) {
		return 2L << 62 | (left & 1) << 61 | right;
	}

	/** BLAKE2b with a key, whose first block is the key. */
	private static ByteBuffer roundKey(byte[] key) {
		if (key.length != 32)
			throw new IllegalArgumentException("a key that hides identifiers must have 32 bytes");
		return digest("iuid.hide", Arrays.copyOf(key, 128), key.length).order(ByteOrder.LITTLE_ENDIAN);
	}

	/** SipHash-2-4 of two words. */
	private static long sipHash(ByteBuffer key, long first, long second) {
		long k0 = key.getLong(0), k1 = key.getLong(8);
		long[] v = {k0 ^ 0x736f6d6570736575L, k1 ^ 0x646f72616e646f6dL, k0 ^ 0x6c7967656e657261L, k1 ^ 0x7465646279746573L};
		for (long word : new long[] {first, second, 16L << 56}) {
			v[3] ^= word;
			sipRounds(v, 2);
			v[0] ^= word;
		}
		v[2] ^= 0xff;
		sipRounds(v, 4);
		return v[0] ^ v[1] ^ v[2] ^ v[3];
	}

	private static void sipRounds(long[] v, int rounds) {
		for (; rounds > 0; rounds--) {
			v[0] += v[1];
			v[2] += v[3];
			v[1] = Long.rotateLeft(v[1], 13) ^ v[0];
			v[3] = Long.rotateLeft(v[3], 16) ^ v[2];
			v[0] = Long.rotateLeft(v[0], 32) + v[3];
			v[2] += v[1];
			v[1] = Long.rotateLeft(v[1], 17) ^ v[2];
			v[3] = Long.rotateLeft(v[3], 21) ^ v[0];
			v[2] = Long.rotateLeft(v[2], 32);
		}
	}

	// --- arguments (R6) ----------------------------------------------------------------------------

	private static void checkOrigin(int country, int entity, int limit) {
		if (country < 0 || country > limit)
			throw new IllegalArgumentException("country " + country + " is out of range for type iuid: 0 to " + limit);
		if (entity < 0 || entity > limit)
			throw new IllegalArgumentException("entity " + entity + " is out of range for type iuid: 0 to " + limit);
	}

	private static boolean isInRange(Instant at) {
		return !at.isBefore(Instant.EPOCH) && at.isBefore(Instant.ofEpochMilli(LAST_MS + 1));
	}

	private static long msOf(Instant at) {
		if (!isInRange(at))
			throw new IllegalArgumentException("time " + at + " is out of range for type iuid");
		return at.toEpochMilli();
	}

	// --- BLAKE2b with personalization, which Java's library does not have (R16) ----------------------

	private static final long[] IV = {
		0x6a09e667f3bcc908L, 0xbb67ae8584caa73bL, 0x3c6ef372fe94f82bL, 0xa54ff53a5f1d36f1L,
		0x510e527fade682d1L, 0x9b05688c2b3e6c1fL, 0x1f83d9abfb41bd6bL, 0x5be0cd19137e2179L,
	};

	/** The order of the words of a block in each round: RFC 7693, section 2.7. */
	private static final String[] SIGMA = {
		"0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
		"2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
	};

	private static ByteBuffer digest(String personal, byte[] message) {
		return digest(personal, message, 0);
	}

	/** A key is the first block of the message. */
	private static ByteBuffer digest(String personal, byte[] message, int keyLength) {
		// The parameter block: 16 bytes of digest, the key, fanout and depth 1; from byte 48 the personalization.
		ByteBuffer parameters = littleEndian(64).put(new byte[] {16, (byte) keyLength, 1, 1}).put(48, personal.getBytes(StandardCharsets.US_ASCII));
		long[] h = IV.clone();
		for (int i = 0; i < 8; i++)
			h[i] ^= parameters.getLong(8 * i);
		int done = 0;
		do {
			int count = Math.min(128, message.length - done);
			ByteBuffer block = littleEndian(128).put(message, done, count);
			done += count;
			compress(h, block, done, done == message.length);
		} while (done < message.length);
		return ByteBuffer.wrap(littleEndian(16).putLong(h[0]).putLong(h[1]).array());
	}

	private static ByteBuffer littleEndian(int size) {
		return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
	}

	/** The function F of RFC 7693, section 3.2. */
	private static void compress(long[] h, ByteBuffer block, long done, boolean last) {
		long[] v = new long[16];
		System.arraycopy(h, 0, v, 0, 8);
		System.arraycopy(IV, 0, v, 8, 8);
		v[12] ^= done;
		if (last)
			v[14] = ~v[14];
		for (int round = 0; round < 12; round++) {
			String order = SIGMA[round % 10];
			for (int i = 0; i < 8; i++) {
				long x = block.getLong(8 * Character.digit(order.charAt(2 * i), 16));
				long y = block.getLong(8 * Character.digit(order.charAt(2 * i + 1), 16));
				int shift = i / 4; // the columns, then the diagonals
				mix(v, i % 4, 4 + (i + shift) % 4, 8 + (i + 2 * shift) % 4, 12 + (i + 3 * shift) % 4, x, y);
			}
		}
		for (int i = 0; i < 8; i++)
			h[i] ^= v[i] ^ v[i + 8];
	}

	private static void mix(long[] v, int a, int b, int c, int d, long x, long y) {
		v[a] += v[b] + x;
		v[d] = Long.rotateRight(v[d] ^ v[a], 32);
		v[c] += v[d];
		v[b] = Long.rotateRight(v[b] ^ v[c], 24);
		v[a] += v[b] + y;
		v[d] = Long.rotateRight(v[d] ^ v[a], 16);
		v[c] += v[d];
		v[b] = Long.rotateRight(v[b] ^ v[c], 63);
	}
}
