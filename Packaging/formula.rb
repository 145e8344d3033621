# Reads a Homebrew formula without Homebrew, and prints what it says: what Homebrew offers is stood in for.
# usage: ruby Packaging/formula.rb shunt.rb
class Formula
  class << self
    %i[desc homepage url version sha256 license depends_on].each do |word|
      define_method(word) { |*values| (@said ||= []) << [word, *values] }
    end
    attr_reader :said

    def test(&block) = (@test = block)
    def service(&block) = (@service = block)
  end
end

load ARGV.fetch(0)
formula = Shunt
abort "no install" unless formula.instance_methods(false).include?(:install)
abort "no test" unless formula.instance_variable_get(:@test)
abort "no service" unless formula.instance_variable_get(:@service)
formula.said.each { |word, *values| puts "#{word} #{values.join(' ')}" }
